import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from studio.engine.messages import OpenProject, ProjectOpened, TrustProject
from tests.engine import sample
from tests.engine.engine_process import EngineProcess
from tests.engine.pooled import Start
from tests.ollama_fixture import ScriptedOllama

MakeSample = Callable[..., Path]


@pytest.fixture
def make_sample(tmp_path: Path, scripted_ollama: ScriptedOllama) -> MakeSample:
    """Writes the sample project, whose model is played by the scripted server."""
    scripted_ollama.play(sample.script())

    def make(name: str = "gold", **settings: Any) -> Path:
        return sample.write(tmp_path / name, scripted_ollama.address, **settings)

    return make


@pytest.fixture
def new_engine(own_folders: None) -> Iterator[Callable[..., EngineProcess]]:
    """Starts engine processes of the test's own, and ends them."""
    started: list[EngineProcess] = []

    def start(**how: Any) -> EngineProcess:
        engine = EngineProcess(**how)
        started.append(engine)
        return engine

    yield start
    for engine in started:
        engine.hang_up()
        engine.wait(20)


@pytest.fixture(scope="module")
def _one_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    home = {"XDG_CONFIG_HOME": str(tmp_path_factory.mktemp("settings"))}
    with EngineProcess(env=home) as engine:
        yield engine


@pytest.fixture
def engine(_one_engine: EngineProcess) -> EngineProcess:
    """One engine process for the module, its libraries loaded once; each test opens a project."""
    _one_engine.settle()
    return _one_engine


@pytest.fixture
def opened(engine: EngineProcess, make_sample: MakeSample) -> ProjectOpened:
    """The sample project, open in `engine` and trusted."""
    folder = str(make_sample())
    engine.send(OpenProject(folder), TrustProject(folder))
    engine.until(ProjectOpened)
    return engine.until(ProjectOpened)


@pytest.fixture(scope="module")
def _three_scripted() -> Iterator[list[ScriptedOllama]]:
    with contextlib.ExitStack() as cleanup:
        yield [cleanup.enter_context(ScriptedOllama()) for _ in range(3)]


@pytest.fixture
def start(_three_scripted: list[ScriptedOllama]) -> Start:
    """Hands out servers, each with a script of its own."""
    free = list(_three_scripted)

    def make(script: dict[str, Any] | None = None, **changes: Any) -> ScriptedOllama:
        server = free.pop(0)
        server.play((script or sample.script()) | changes)
        return server

    return make


@pytest.fixture
def mortal() -> Iterator[Start]:
    """Starts servers that the test may kill."""
    with contextlib.ExitStack() as cleanup:

        def make(script: dict[str, Any] | None = None, **changes: Any) -> ScriptedOllama:
            server = ScriptedOllama((script or sample.script()) | changes)
            cleanup.callback(lambda: server.is_dead or server.close())
            return server

        yield make
