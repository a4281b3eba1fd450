"""Notes its own process id and then becomes the program: `python -I -S launch.py FILE COMMAND…`.

So a process that is interrupted, or whose starter is killed, at whatever moment is noted, or was never more than this.
"""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    note = Path(sys.argv[1])
    draft = note.with_suffix(f".{os.getpid()}")
    draft.write_text(str(os.getpid()))
    draft.replace(note)
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - the command that `processes.start` was given
