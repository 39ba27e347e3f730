"""Files of calibrators with parts cut out, added or bent are refused, whatever the kind."""

import copy
import datetime as dt
import json

import numpy as np
import pytest

from stakes.calibration import (
    Affine,
    Automatic,
    Average,
    Calibrator,
    Histogram,
    Isotonic,
    Logistic,
    VennAbers,
    load,
)
from stakes.calibration.calibrator_json import every_kind
from stakes.exceptions import DataError, FormatError, StakesError

ALL = sorted(set(every_kind()) - {"shifted"})
MANY = ("temperature", "affine", "vector", "matrix", "dirichlet", "isotonic", "constant",
        "common-curve", "structured-matrix")  # fmt: skip


def cases(size):
    rng = np.random.default_rng(size)
    y = rng.integers(0, size, 120)
    return rng.normal(size=(120, size)) + 2 * np.eye(size)[y], y


@pytest.fixture(scope="module")
def saved():
    """Every kind for two classes, and for three where it can."""
    fitted = {kind: every_kind()[kind]().fit(*cases(2)) for kind in ALL}
    fitted["shifted"] = fitted["affine"].with_priors([0.9, 0.1])
    more = {f"{kind} of 3": every_kind()[kind]().fit(*cases(3)) for kind in MANY}
    return {name: cal.to_dict() for name, cal in (fitted | more).items()}


NAMES = [*ALL, "shifted", *(f"{kind} of 3" for kind in MANY)]


@pytest.mark.parametrize("name", NAMES)
class TestEveryKind:
    def test_whole_form_is_read(self, name, saved):
        assert Calibrator.from_dict(saved[name]).to_dict() == saved[name]

    def test_each_parameter_is_needed(self, name, saved):
        for key in saved[name]["parameters"]:
            damaged = copy.deepcopy(saved[name])
            del damaged["parameters"][key]
            with pytest.raises(FormatError, match=f"no '{key}' in the parameters of the saved"):
                Calibrator.from_dict(damaged)

    def test_unknown_parameter_is_refused(self, name, saved):
        damaged = copy.deepcopy(saved[name])
        damaged["parameters"]["tilt"] = 0.5
        with pytest.raises(FormatError, match="'tilt' in the parameters of the saved"):
            Calibrator.from_dict(damaged)

    def test_arrays_must_have_their_shape(self, name, saved):
        for key, value in saved[name]["parameters"].items():
            if not isinstance(value, list):
                continue
            for other in (value[:-1], [*value, value[-1]], [value], 1.0, []):
                damaged = copy.deepcopy(saved[name])
                damaged["parameters"][key] = other
                with pytest.raises(FormatError):
                    Calibrator.from_dict(damaged)

    def test_numbers_must_be_numbers(self, name, saved):
        for key, value in saved[name]["parameters"].items():
            for other in (None, True, "nan", [1.0], {}, "much"):
                if isinstance(value, float):
                    damaged = copy.deepcopy(saved[name])
                    damaged["parameters"][key] = other
                    with pytest.raises(FormatError):
                        Calibrator.from_dict(damaged)

    @pytest.mark.parametrize(
        "part", ["options", "classes", "priors", "bound", "parameters", "report"]
    )
    def test_each_part_is_needed(self, name, saved, part):
        damaged = {key: value for key, value in saved[name].items() if key != part}
        with pytest.raises(FormatError, match=f"no '{part}' in the saved"):
            Calibrator.from_dict(damaged)


@pytest.mark.parametrize("version", [True, "1", 2, None, [1]])
def test_version_is_the_number_1(version):
    form = Logistic().fit([-1.0, 0.5, 0.0, 1.0], [0, 0, 1, 1]).to_dict()
    with pytest.raises(FormatError, match="version"):
        Calibrator.from_dict({**form, "version": version})


def test_shapes_must_agree_with_each_other():
    form = VennAbers().fit(np.arange(20.0), np.arange(20) % 2).to_dict()
    form["parameters"]["upper"].append(1.0)
    with pytest.raises(FormatError, match=r"'upper' must have shape \((\d+)\); got"):
        Calibrator.from_dict(form)


def test_a_histogram_of_one_bin_has_no_edges(tmp_path):
    cal = Histogram(bins=1).fit([-1.0, 0.5, 0.0, 1.0], [0, 0, 1, 1])
    cal.save(tmp_path / "cal.json")
    assert load(tmp_path / "cal.json").posteriors([3.0]).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("option", ["members", "weights", "emphasis"])
def test_an_average_needs_what_it_averages(option):
    form = Average().fit(*cases(2)).to_dict()
    del form["options"][option]
    with pytest.raises(FormatError, match=f"no '{option}' in the options of the saved average"):
        Calibrator.from_dict(form)


def test_a_bound_is_not_lost():
    form = Affine(bound=5.0).fit([-9.0, 0.5, 0.0, 1.0], [0, 0, 1, 1]).to_dict()
    del form["options"]["bound"]
    with pytest.raises(FormatError, match="bound"):
        Calibrator.from_dict(form)


@pytest.mark.parametrize("bound", [True, "data", 0, -1.0])
def test_a_bound_is_positive(bound):
    form = Affine(bound=5.0).fit([-9.0, 0.5, 0.0, 1.0], [0, 0, 1, 1]).to_dict()
    with pytest.raises(FormatError, match="bound must be a positive number"):
        Calibrator.from_dict({**form, "bound": bound})


def test_maps_are_one_for_two_classes():
    form = Isotonic().fit(*cases(2)).to_dict()
    form["parameters"]["maps"] *= 2
    with pytest.raises(FormatError, match="holds 2 maps"):
        Calibrator.from_dict(form)


@pytest.mark.parametrize("number", [10**400, -(10**400)])
def test_vast_number_is_refused(number):
    form = Logistic().fit([-1.0, 0.5, 0.0, 1.0], [0, 0, 1, 1]).to_dict()
    form["parameters"]["slope"] = number
    with pytest.raises(FormatError, match="damaged"):
        Calibrator.from_dict(form)


def test_the_inner_one_is_blamed():
    form = Automatic([Logistic()]).fit(*cases(2)).to_dict()
    del form["parameters"]["chosen"]["parameters"]["slope"]
    with pytest.raises(FormatError, match="no 'slope' in the parameters of the saved logistic"):
        Calibrator.from_dict(form)


class TestWhatCannotBeSaved:
    days = np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]")

    @pytest.mark.parametrize(
        "labels",
        [
            days,
            np.array([dt.date(2026, 1, 1), dt.date(2026, 1, 2)], dtype=object),
            np.array([b"a", b"b"]),
        ],
        ids=["datetime64", "date", "bytes"],
    )
    def test_labels_that_are_not_text_say_what_to_type(self, labels, tmp_path):
        scores, y = cases(2)
        cal = Affine().fit(scores, labels[y])
        with pytest.raises(FormatError, match="which a JSON file cannot hold") as caught:
            cal.save(tmp_path / "cal.json")
        assert "y_true.astype(str)" in caught.value.hint
        assert not list(tmp_path.iterdir())
        cal = Affine().fit(scores, labels[y].astype(str))
        cal.save(tmp_path / "cal.json")
        assert load(tmp_path / "cal.json").classes == cal.classes

    @pytest.mark.parametrize("source", [np.random.default_rng, np.random.RandomState])
    def test_a_generator_gives_a_seed_that_is_kept(self, source, tmp_path):
        scores, y = cases(2)
        cal = Automatic([Affine(), Isotonic()], rng=source(3)).fit(scores, y)
        cal.save(tmp_path / "cal.json")
        again = load(tmp_path / "cal.json")
        assert again.options["rng"] == cal.options["rng"]
        same = Automatic([Affine(), Isotonic()], rng=source(3)).fit(scores, y)
        for other in (again, same, cal.unfitted().fit(scores, y)):
            for name in ("loss", "standard_error"):
                np.testing.assert_array_equal(other.frame()[name], cal.frame()[name])

    @pytest.mark.parametrize("rng", ["0", 1.5, -1])
    def test_what_is_no_seed_is_refused(self, rng):
        with pytest.raises(DataError, match="`rng` must be None, a whole number"):
            Automatic(rng=rng)


def leaves(value, path=()):
    """Where single values stand in nested lists and mappings."""
    if isinstance(value, (dict, list)):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        return [found for key, part in parts for found in leaves(part, (*path, key))]
    return [path]


def with_value(form, path, value):
    changed = copy.deepcopy(form)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


@pytest.mark.parametrize("name", NAMES)
def test_no_number_in_it_makes_what_is_no_posterior(name, saved):
    """Forms without a checksum, from `to_dict`: refused, or whatever is given adds to 1."""
    form, rng = saved[name], np.random.default_rng(0)
    size = len(form["classes"])
    scores = np.vstack([4 * rng.normal(size=(60, size)), 700 * np.eye(size)])
    places = [place for place in leaves(form) if place[0] in ("parameters", "options", "bound")]
    for k in rng.choice(len(places), min(12, len(places)), replace=False):
        for value in ("inf", "-inf", "nan", 1e300, -1e300, -0.5):
            changed = with_value(form, places[k], value)
            try:
                with np.errstate(all="ignore"):
                    found = Calibrator.from_dict(changed).posteriors(scores)
            except StakesError:
                continue
            assert (found >= 0).all(), (places[k], value)
            np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-6)


class TestChecksum:
    """A file that was changed after it was written is refused, unless it says the same."""

    @pytest.fixture(params=["affine", "automatic", "average", "isotonic", "shifted", "smooth"])
    def file(self, request, saved, tmp_path):
        path = tmp_path / "cal.json"
        Calibrator.from_dict(saved[request.param]).save(path)
        return path

    def test_every_edit_that_changes_what_it_says(self, file):
        rng, data = np.random.default_rng(1), file.read_bytes()
        said, refused = json.loads(data), 0
        for k in rng.integers(0, len(data), 150):
            new = bytes([int(rng.integers(32, 127))])
            for changed in (
                data[:k] + new + data[k + 1 :],  # another character
                data[:k] + new + data[k:],  # one more
                data[:k] + data[k + 1 :],  # one less
                data[:k] + bytes([data[k] ^ (1 << int(rng.integers(8)))]) + data[k + 1 :],
            ):
                file.write_bytes(changed)
                try:
                    same = repr(json.loads(changed)) == repr(said)
                except ValueError:
                    same = False
                if same:
                    assert load(file).to_dict() == load_form(data)
                    continue
                with pytest.raises(FormatError):
                    load(file)
                refused += 1
        assert refused > 500

    def test_cut_off_anywhere(self, file):
        data = file.read_bytes()
        for k in range(0, len(data) - 2, 1 + len(data) // 97):
            file.write_bytes(data[:k])
            with pytest.raises(FormatError):
                load(file)

    def test_numbers_exchanged_within_the_file(self, file):
        form = json.loads(file.read_text())
        rng = np.random.default_rng(2)
        places = [place for place in leaves(form) if place[0] == "parameters"] or [("priors", 0)]
        for k in rng.integers(0, len(places), 20):
            file.write_text(json.dumps(with_value(form, places[k], 0.123)))
            with pytest.raises(FormatError, match="checksum does not match"):
                load(file)

    def test_spaces_and_order_may_change(self, file):
        form = json.loads(file.read_text())
        before = load(file).to_dict()
        file.write_text(json.dumps(dict(reversed(form.items())), indent=3))
        assert load(file).to_dict() == before

    def test_without_it_the_file_is_refused(self, file):
        form = json.loads(file.read_text())
        del form["sha256"]
        file.write_text(json.dumps(form))
        with pytest.raises(FormatError, match="has no checksum") as caught:
            load(file)
        assert "save it again" in caught.value.hint


def load_form(data):
    """What `to_dict` gave, from the bytes of a file."""
    return {key: part for key, part in json.loads(data).items() if key != "sha256"}
