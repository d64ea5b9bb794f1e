"""Learn with a graph of LangGraph: `python with_langgraph.py questions.jsonl playbook.yaml`.

Needs `pip install "acdl-mkdocs[openai]" langgraph`, and OPENAI_API_KEY.
"""

import sys

from langchain_core.messages import AIMessage, convert_to_openai_messages
from langgraph.graph import END, START, MessagesState, StateGraph
from openai import OpenAI

from acdl_mkdocs.playbook.learn import langgraph, learn

SYSTEM = {"role": "system", "content": "You convert units. Answer with a number alone."}


def model(state: MessagesState) -> dict[str, list[AIMessage]]:
    """Ask the model; the lessons are the first of the messages."""
    messages = [SYSTEM, *convert_to_openai_messages(state["messages"])]
    reply = OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=messages)
    return {"messages": [AIMessage(reply.choices[0].message.content)]}


builder = StateGraph(MessagesState)
builder.add_node("model", model)
builder.add_edge(START, "model")
builder.add_edge("model", END)
graph = builder.compile(name="converter")

if __name__ == "__main__":
    ran = learn(sys.argv[2], sys.argv[1], langgraph(graph), model="gpt-5.4-mini")
    print(f"{ran.totals.n_right} of {ran.totals.n_questions} right, {len(ran.playbook.active)} lessons")
