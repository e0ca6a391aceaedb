"""The project's own files, for the checks in this folder."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEVER = {".git", ".venv", "__pycache__", ".pytest_cache", ".ruff_cache"}


def files_of(root: Path) -> list[Path]:
    """Every file that is, or on the next commit would be, part of the tree at `root`; relative, sorted.

    Git knows best; a tree without it (an unpacked archive) is walked, leaving out what is built or installed.
    """
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True
    )
    if listed.returncode == 0 and (root / ".git").exists():
        found = {Path(name) for name in listed.stdout.split("\0") if name}
    else:
        found = {
            path.relative_to(root)
            for path in root.rglob("*")
            if not NEVER.intersection(path.relative_to(root).parts) and not path.relative_to(root).parts[0].startswith("build")
        }
    return sorted(path for path in found if (root / path).is_file())
