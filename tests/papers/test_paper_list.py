from __future__ import annotations

import pytest

from stakes.exceptions import DataError
from stakes.papers import runs as registry


def test_keys_of_papers_and_items_are_what_a_command_line_can_type():
    for paper in registry.papers():
        keys = [item.key for item in paper.items]
        assert len(set(keys)) == len(keys)
        assert all(key and not set(key) & set(" /'\"") for key in (paper.key, *keys))


def test_each_paper_is_found_by_its_folder():
    for paper in registry.papers():
        assert registry.paper_of(paper.key) is paper
        for item in paper.items:
            assert registry.item_of(paper, item.key) is item
            assert item.seconds > 0


def test_a_paper_without_a_folder_is_left_out(monkeypatch):
    monkeypatch.setattr(registry, "KEYS", ("ferrer2022", "nobody1900"))
    assert [paper.key for paper in registry.papers()] == ["ferrer2022"]


def test_unknown_names_list_the_known_ones():
    with pytest.raises(DataError, match=r"no paper 'ferrer1066'(.|\n)*ferrer2025, ferrer2022"):
        registry.paper_of("ferrer1066")
    with pytest.raises(DataError, match=r"no item 'table9'(.|\n)*figure1, table1"):
        registry.item_of(registry.paper_of("ferrer2022"), "table9")


def test_modules_are_not_papers():
    with pytest.raises(DataError, match="no paper 'pages'"):
        registry.paper_of("pages")
