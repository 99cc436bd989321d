"""The small real engine's part for model servers: a list in memory, pulls and probes in steps."""

import threading
import time
from collections.abc import Callable

from studio.engine.messages import Command, Notice, Told
from studio.engine.model_messages import (
    CancelProbe,
    CancelPull,
    DeleteModel,
    FindModels,
    FindServers,
    ForgetServer,
    ModelsFound,
    NameServer,
    ProbeModel,
    ProbeMoved,
    PullModel,
    PullMoved,
    ServersKnown,
    SpreadRuns,
    UnloadModel,
)
from studio.engine.offers import (
    FoundModel,
    Guard,
    KnownServer,
    LoadedModel,
    Origin,
    Probe,
    Standing,
    Thinking,
    ToolCalls,
)
from studio.engine.records import EMBEDDED
from studio.engine.server_facts import ServerFacts

LOCAL = "http://127.0.0.1:11434"
LOST = "http://10.0.0.9:11434"
FACTS = ServerFacts(LOCAL, "0.30.1", is_embedded=False)
GB = 1_000_000_000
MODELS = (
    FoundModel(
        "qwen3:8b", 5_225_000_000, "500a1f067a9f", "qwen3", "8.2B", "Q4_K_M", 40_960,
        ("completion", "tools", "thinking"),
    ),
    FoundModel(
        "llama3.2:3b", 2_019_393_189, "a80c4f17acd5", "llama", "3.2B", "Q4_K_M", 131_072,
        ("completion", "tools"),
    ),
    FoundModel("phi:latest", 1_602_463_378, "e2fd6321a5fe", "phi2", "3B", "Q4_0", 2_048),
    FoundModel(
        "gpt-oss:120b-cloud", 384, "569662207105", "gptoss", "116.8B", "MXFP4", 131_072,
        ("completion", "tools", "thinking"), "https://ollama.com:443",
    ),
)  # fmt: skip
OWN = FoundModel("smollm2:135m", 98_362_432, "b179c9523d0e")
PROBED = Probe(
    LOCAL, "0.30.1", "llama3.2:3b", "a80c4f17acd5", 1_780_000_000.0,
    answers=True, tools=ToolCalls.NATIVE, schema=True, window=Guard.REFUSES,
    thinking=Thinking.NONE, prompt_speed=312.4, reply_speed=41.3, load_seconds=3.2,
    window_asked=1024, window_allocated=1024,
    reasons={
        "answers": "It answered: The keeper's daughter counted the birds.",
        "tools": 'It called get_temperature({"city":"Lisbon"})',
        "schema": 'It wrote: {"name": "Ant", "legs": 6, "kind": "insect"}',
        "window": "The prompt has 1,756 tokens, the model's window (num_ctx) 1,024.",
        "thinking": "Its template has no place for thinking.",
    },
)  # fmt: skip
WEAK = Probe(
    LOCAL, "0.30.1", "phi:latest", "e2fd6321a5fe", 1_780_000_000.0,
    answers=True, tools=ToolCalls.NONE, schema=None, window=Guard.CUTS,
    thinking=Thinking.NONE, prompt_speed=120.0, reply_speed=18.6,
    window_asked=1024, window_allocated=2048,
    reasons={
        "answers": "It answered: It was his daughter.",
        "tools": "The server refuses tools for it: its template has no place for them.",
        "schema": "The reply was not complete after 600 seconds.",
        "window": "The server read 512 tokens of a prompt that has at least 1,350: it was cut.",
        "thinking": "It did not think; the server does not say if it can.",
    },
)  # fmt: skip


class FakeDesk:
    """Answers model commands as an engine's desk would; pulls go on in threads of their own."""

    def __init__(self, say: Callable[[Notice], None]) -> None:
        self._say = say
        self._named: list[str] = []
        self._models = list(MODELS)
        self._probes = [PROBED, WEAK]
        self._loaded = [
            LoadedModel("qwen3:8b", "500a1f067a9f", 6 * GB, 4 * GB, 8_192, time.time() + 270.0)
        ]
        self._spreads = False
        self._done: dict[str, int] = {}
        self._cancelled: set[str] = set()
        self._threads: list[threading.Thread] = []

    def take(self, command: Command) -> bool:
        """Carry out a command about models; False if it is another one."""
        match command:
            case FindServers():
                self._tell_known()
                for known in self._known():
                    self._say(self._found(known.server, starts=False))
            case NameServer(address=address):
                self._named.append(address)
                self._tell_known()
                self._say(self._found(address))
            case ForgetServer(address=address):
                self._named.remove(address)
                self._tell_known()
            case SpreadRuns(over_all=over_all):
                self._spreads = over_all
                self._tell_known()
            case FindModels(server=server):
                self._say(self._found(server))
            case _:
                return self._take_of_one_model(command)
        return True

    def _take_of_one_model(self, command: Command) -> bool:
        match command:
            case PullModel(model=model):
                self._pull(model)
            case CancelPull(model=model):
                self._cancelled.add(model)
            case DeleteModel(model=model):
                self._models = [each for each in self._models if each.name != model]
                self._say(Told(f"{model} was deleted.", is_error=False))
                self._say(self._found(LOCAL))
            case UnloadModel():
                self._loaded = []
                self._say(self._found(LOCAL))
            case ProbeModel(server=server, model=model):
                self._probe(server, model)
            case CancelProbe(server=server, model=model):
                self._say(ProbeMoved(server, model, ending="cancelled"))
            case _:
                return False
        return True

    def close(self) -> None:
        self._cancelled.update(self._done)
        for thread in self._threads:
            thread.join()

    def _known(self) -> tuple[KnownServer, ...]:
        named = tuple(KnownServer(each, Origin.NAMED) for each in self._named)
        own = KnownServer(EMBEDDED, Origin.EMBEDDED)
        return (KnownServer(LOCAL, Origin.LOCAL), *named, own)

    def _tell_known(self) -> None:
        self._say(ServersKnown(self._known(), spreads=self._spreads))

    def _found(self, server: str, *, starts: bool = True) -> ModelsFound:
        if server in {LOCAL, "auto"}:
            return ModelsFound(
                server, FACTS, tuple(self._models),
                loaded=tuple(self._loaded), probes=tuple(self._probes),
            )  # fmt: skip
        if server == EMBEDDED:
            facts = ServerFacts("http://127.0.0.1:9", "0.30.0-embedded", is_embedded=True)
            if starts:
                return ModelsFound(server, facts, (OWN,), loaded=())
            return ModelsFound(server, None, (OWN,), standing=Standing.IDLE)
        return ModelsFound(
            server, None, standing=Standing.UNREACHABLE,
            problem=f"No model server answers at {server}.",
            remedy="See whether Ollama runs there and listens to other machines (OLLAMA_HOST).",
        )  # fmt: skip

    def _pull(self, model: str) -> None:
        model = model.strip()
        self._cancelled.discard(model)
        thread = threading.Thread(target=self._pull_on, args=(model,))
        self._threads.append(thread)
        thread.start()

    def _pull_on(self, model: str) -> None:
        if model == "full:disk":
            self._say(
                PullMoved(
                    LOCAL, model, "pulling 1e6a", GB, 3 * GB, "failed",
                    "The server's disk is full: the model does not fit on it.",
                    "Delete models that nobody needs. Pull it again: it goes on where it stopped.",
                )
            )  # fmt: skip
            return
        done = self._done.get(model, 0)
        while done < 10 and model not in self._cancelled:
            done += 1
            self._done[model] = done
            self._say(PullMoved(LOCAL, model, "pulling 8eeb52dfb3bb", done * GB // 10, GB))
            # "slow" never ends by itself.
            if model.startswith("slow") and done == 4:
                while model not in self._cancelled:
                    time.sleep(0.01)
        ending = "finished" if done == 10 else "cancelled"
        if ending == "finished":
            self._models.append(FoundModel(model, GB, model))
        self._say(PullMoved(LOCAL, model, "success", done * GB // 10, GB, ending))
        self._say(self._found(LOCAL))

    def _probe(self, server: str, model: str) -> None:
        self._say(ProbeMoved(server, model, "calling a tool", 1, 5))
        if model.startswith("phi"):
            return  # goes on until it is cancelled
        found = next(each for each in self._models if each.name == model)
        probe = Probe(
            server, "0.30.1", model, found.digest, 1_780_000_000.0, answers=True,
            tools=ToolCalls.AS_TEXT, schema=True, window=Guard.REFUSES, thinking=Thinking.APART,
        )  # fmt: skip
        self._probes.append(probe)
        self._say(ProbeMoved(server, model, ending="finished", probe=probe))
        self._say(self._found(server))
