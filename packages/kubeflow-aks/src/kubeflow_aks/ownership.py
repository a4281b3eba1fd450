"""Whose a file is."""

import os
import stat
import sys
from pathlib import Path


def is_own(status: os.stat_result) -> bool:
    """Whether a file belongs to the user of this process.

    Windows has no numbers of users; there it is true of every file, and a user's folders are private as they are made.
    """
    return sys.platform == "win32" or status.st_uid == os.getuid()


def is_only_ours(path: Path) -> bool:
    """Whether only this user can have written a file, or what is directly in a folder.

    Raises:
        OSError: it is missing.
    """
    found = path.lstat()
    others = stat.S_IWGRP | stat.S_IWOTH
    shared = sys.platform != "win32" and found.st_mode & others  # Windows shows none of its rights there
    return is_own(found) and not shared and not stat.S_ISLNK(found.st_mode)
