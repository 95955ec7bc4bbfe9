"""Seeding: what a map asks for by itself is put on it before its layout grows around it."""
