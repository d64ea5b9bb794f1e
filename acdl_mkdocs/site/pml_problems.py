"""The problems of PML documents and of calls in LAIC, documented like rules; see `block_problems` for the form.

What is wrong is said where it is found, in `pml.problems`; here is the rest of each page. Examples are whole documents.
"""

from collections.abc import Mapping

from acdl_mkdocs.prompts.pml.problems import PML_RULES
from acdl_mkdocs.site.pml_call_problems import PML_CALL_PROBLEMS
from acdl_mkdocs.site.pml_sense_problems import PML_SENSE_PROBLEMS
from acdl_mkdocs.site.pml_text_problems import PML_TEXT_PROBLEMS

_PAGES = {**PML_TEXT_PROBLEMS, **PML_SENSE_PROBLEMS, **PML_CALL_PROBLEMS}
PML_PROBLEMS: Mapping[str, str] = {name: f"{PML_RULES[name]}.\n{text}" for name, text in _PAGES.items()}
"""Problems of a PML document, and of calls beside their tools."""
