"""Programs that use the adapters of Anchor's client, with stubs of what they adapt.

A stub has what the adapter touches of the real package and nothing else: what is
proven is that the adapter's own calls are served.
"""

STUBS = '''
import os
import sys
from dataclasses import dataclass, field
from types import ModuleType


def stub(name, **names):
    module = sys.modules[name] = ModuleType(name)
    vars(module).update(names)


@dataclass
class Message:
    content: str


class HumanMessage(Message):
    pass


class AIMessage(Message):
    pass


class SystemMessage(Message):
    pass


class Agent:
    def __init__(self, **given):
        self.given = given


class Memory:
    """Keeps what it is given, in memory."""

    def __init__(self):
        self.kept = {}

    def add(self, data, **about):
        self.kept[f"m{len(self.kept)}"] = data
        return {"id": f"m{len(self.kept) - 1}"}

    def search(self, query, **about):
        return [{"memory": one} for one in self.kept.values() if query in one]

    def get(self, memory_id):
        return self.kept.get(memory_id)

    def get_all(self, **about):
        return list(self.kept.values())

    def update(self, memory_id, data, **more):
        self.kept[memory_id] = data
        return {"id": memory_id}

    def delete(self, memory_id):
        return {"deleted": self.kept.pop(memory_id)}

    def delete_all(self, **about):
        self.kept.clear()
        return {}

    def history(self, memory_id, **more):
        return [self.kept[memory_id]]

    def reset(self):
        self.kept.clear()
        return {}


stub("langchain_core")
stub("langchain_core.chat_history", BaseChatMessageHistory=object)
stub(
    "langchain_core.messages",
    BaseMessage=Message,
    HumanMessage=HumanMessage,
    AIMessage=AIMessage,
    SystemMessage=SystemMessage,
)
stub("crewai", Agent=Agent)
stub("mem0", Memory=Memory)

from anchor import Anchor
from anchor.exceptions import ValidationError

anchor = Anchor(api_key=os.environ["KEY"], base_url=os.environ["URL"])
MAIL = "ann.planted@example.com"
POLICIES = {"policies": {"block_pii": True, "retention_days": 30}}
'''
LANGCHAIN = """
from anchor.integrations.langchain import (
    AnchorCallbackHandler,
    AnchorChatHistory,
    AnchorMemory,
)

agent = anchor.agents.create(name="langchain-agent").id
anchor.config.update(agent, POLICIES)
memory = AnchorMemory(anchor=anchor, agent_id=agent, session_id="s1")
memory.save_context({"input": "A flight to Rome"}, {"output": "On which day?"})
memory.save_context({"input": MAIL}, {"output": "Noted."})
point = memory.create_checkpoint()
memory.save_context({"input": "Forget Rome"}, {"output": "Gone."})
memory.restore_checkpoint(point)

fresh = AnchorMemory(
    anchor=anchor, agent_id=agent, session_id="s1", return_messages=False
)
lines = fresh.load_memory_variables({})["chat_history"].splitlines()
assert sorted(lines) == [
    "AI: Noted.",
    "AI: On which day?",
    "Human: A flight to Rome",
], lines

history = AnchorChatHistory(anchor=anchor, agent_id=agent, session_id="s2")
for message in (SystemMessage("Be brief."), HumanMessage("Hi"), AIMessage("Hello")):
    history.add_message(message)
assert {type(one).__name__ for one in history.messages} == {
    "SystemMessage", "HumanMessage", "AIMessage",
}
history.clear()
assert history.messages == []

handler = AnchorCallbackHandler(anchor=anchor, agent_id=agent)
handler.on_llm_start({}, ["Say hello"])
handler.on_llm_end("Hello")
handler.on_tool_start({"name": "search"}, "flights")
handler.on_tool_end("2 flights")
assert len(anchor.data.list(agent, prefix="llm:")) == 2
assert len(anchor.data.list(agent, prefix="tool:")) == 2
memory.clear()
assert anchor.data.list(agent, prefix="chat:s1:") == []
blocked = [one for one in anchor.audit.query(agent) if one.result == "blocked"]
assert [one.blocked_by for one in blocked] == ["policy:block_pii"]
assert anchor.audit.verify(agent).valid
print("langchain")
"""
CREWAI = """
from anchor.integrations.crewai import AnchorCrewAgent, AnchorCrewMemory

researcher = AnchorCrewAgent(anchor, role="Senior Researcher", goal="Find it")
anchor.config.update(researcher.agent_id, POLICIES)
assert researcher.agent.given["role"] == "Senior Researcher"
assert anchor.agents.get(researcher.agent_id).metadata["framework"] == "crewai"
assert researcher.store("finding", "dark mode is liked", {"source": "survey"})
assert not researcher.store("contact", MAIL)
assert researcher.retrieve("finding") == "dark mode is liked"
assert [one["key"] for one in researcher.search("dark mode")] == ["finding"]

memory = AnchorCrewMemory(anchor)
assert AnchorCrewMemory(anchor, memory.agent_id).agent_id == memory.agent_id
anchor.config.update(memory.agent_id, POLICIES)
assert memory.save("plan", {"steps": 2})
assert memory.get("plan") == "{'steps': 2}"
assert not memory.save("contact", MAIL)
point = memory.create_checkpoint()
assert memory.save("plan", "none")
memory.restore_checkpoint(point)
assert memory.get("plan") == "{'steps': 2}"
assert [one["key"] for one in memory.search("steps")] == ["plan"]
assert memory.delete("plan")
try:
    memory.clear()
    print("cleared")
except ValidationError as refused:
    # It asks for all keys by no prefix, which nobody gets.
    assert refused.field == "prefix", refused.field
print("crewai")
"""
MEM0 = """
from anchor.integrations.mem0 import AnchorMem0

agent = anchor.agents.create(name="mem0-agent").id
anchor.config.update(agent, POLICIES)
wrapped = AnchorMem0(anchor=anchor, agent_id=agent, mem0_client=Memory())
added = wrapped.add("likes dark mode", user_id="u1")
assert added.allowed and added.expires_at is not None
blocked = wrapped.add(f"writes from {MAIL}", user_id="u1")
assert (blocked.allowed, blocked.blocked_by) == (False, "policy:block_pii")
assert "e-mail" in blocked.reason and not blocked
assert wrapped.get_all() == ["likes dark mode"]
assert wrapped.search("dark", user_id="u1") == [{"memory": "likes dark mode"}]
memory_id = added.mem0_result["id"]
assert wrapped.get(memory_id) == "likes dark mode"
assert wrapped.update(memory_id, "likes light mode").allowed
assert not wrapped.update(memory_id, MAIL).allowed
assert wrapped.history(memory_id) == ["likes light mode"]
point = wrapped.create_checkpoint()
kept = anchor.data.list(agent)
assert wrapped.delete(memory_id) == {"deleted": "likes light mode"}
wrapped.delete_all(user_id="u1")
wrapped.reset()
assert len(anchor.data.list(agent)) == len(kept) + 3
wrapped.restore_checkpoint(point)
assert anchor.data.list(agent) == kept
writes = wrapped.query_audit_log(operations=["data.write"], limit=50)
assert sum(one.result == "blocked" for one in writes) == 2
assert wrapped.verify_audit_chain().valid
export = wrapped.export_audit_log(format="csv")
assert export.verification.valid and export.event_count > len(writes)
print("mem0")
"""
PROGRAMS = {"langchain": LANGCHAIN, "crewai": CREWAI, "mem0": MEM0}
