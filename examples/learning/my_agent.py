"""An agent of your own as a program: a task as JSON on standard input, the answer as JSON on standard output.

acdl playbook init playbook.yaml
acdl playbook learn questions.jsonl --playbook playbook.yaml --agent "python my_agent.py" --model MODEL
"""

import json
import sys

from openai import OpenAI

task = json.load(sys.stdin)
messages = [
    {"role": "system", "content": "You convert units. Answer with a number alone.\n\n" + task["instructions"]},
    {"role": "user", "content": task["prompt"]},
]
reply = OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=messages)
answer = reply.choices[0].message.content
messages.append({"role": "assistant", "content": answer})
json.dump({"answer": answer, "trajectory": messages, "usage": reply.usage.model_dump()}, sys.stdout)
