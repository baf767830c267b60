"""Files that are there in full or not at all."""

import errno
from pathlib import Path

import pytest

from emu.errors import EmuError
from emu.trace.whole_file import WholeFile


def test_it_has_its_name_once_it_is_complete(tmp_path: Path) -> None:
    file = tmp_path / "t.txt"
    file.write_text("before")
    whole = WholeFile(file)
    whole.write("é")
    whole.write_bytes(b"\x00")
    assert file.read_text() == "before"
    whole.close()
    assert file.read_bytes() == b"\xc3\xa9\x00"
    assert list(tmp_path.iterdir()) == [file]


def test_what_is_discarded_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "t.txt"
    file.write_text("before")
    whole = WholeFile(file)
    whole.write("x")
    whole.discard()
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_where_no_file_can_be(tmp_path: Path) -> None:
    with pytest.raises(EmuError, match=r"there is no folder '.*none'; expected one that exists"):
        WholeFile(tmp_path / "none" / "t.txt")
    with pytest.raises(EmuError, match=r"this is a folder; expected the name of a file"):
        WholeFile(tmp_path)
    with pytest.raises(EmuError, match=r"cannot be written: File name too long"):
        WholeFile(tmp_path / ("x" * 255))


class Full:
    """A disk without room."""

    def write(self, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        self.write(b"")


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for fails in ("write", "close"):
        whole = WholeFile(tmp_path / "t.txt")
        whole._stream.close()
        monkeypatch.setattr(whole, "_stream", Full())
        with pytest.raises(EmuError, match=r"t.txt: cannot be written: No space left on device"):
            whole.write("x") if fails == "write" else whole.close()
        assert list(tmp_path.iterdir()) == []
