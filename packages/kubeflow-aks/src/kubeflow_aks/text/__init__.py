"""Texts for people, made of blocks: as a comment on GitHub that stays dead whoever wrote it, and for a terminal."""
