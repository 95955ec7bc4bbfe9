"""The layouts `caves` and `mines`: spaces that lie apart in the earth, and the ways between them."""
