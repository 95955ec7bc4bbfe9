"""What every command shares that is about whoever calls it: how calls are read, and how waiting is made bearable."""
