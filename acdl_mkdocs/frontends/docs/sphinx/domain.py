"""The domain `acdl`: every block of a project, the specs, fragments and marks in it, and the roles that refer to them.

Draws nothing; the contents of a figure are known from its text alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.domains import Domain, ObjType
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.util.nodes import make_refnode

from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.docs.pages.library import unknown_variants
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.frontends.docs.sphinx.settings import report_problem
from acdl_mkdocs.frontends.docs.sphinx.targets import FigureTarget, KnownBlock, assign_anchors
from acdl_mkdocs.workspace.cache import code_digest
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.used_files import UsedFiles


class ProjectBlocks:
    """All blocks by page; their addresses are those of documents, `agents#Chat`."""

    def __init__(self, pages: Mapping[str, Iterable[KnownBlock]]) -> None:
        self._pages = {docname: tuple(pages[docname]) for docname in sorted(pages)}
        self._all = Catalog()
        for docname, blocks in self._pages.items():
            for block in blocks:
                self._all.add_text(block.text, f"{docname}#{block.anchor}")

    def catalog_for(self, docname: str, link: Callable[[str], str]) -> Catalog:
        """Return the catalog of other blocks for a page.

        Parameters:
            docname: The page.
            link: From an address to a link of that page.
        """
        catalog = Catalog(self._all, link)
        for block in self._pages.get(docname, ()):
            catalog.add_text(block.text, f"#{block.anchor}")
        return catalog

    @cached_property
    def spec_index(self) -> SpecIndex:
        """The specs and fragments of all blocks; those in several blocks once. Texts are parsed now."""
        entries = [
            entry
            for docname, blocks in self._pages.items()
            for block in blocks
            for entry in _list_entries(docname, block)
        ]
        homes: dict[tuple[str, int, str], SpecEntry] = {}
        for entry in entries:
            homes.setdefault((entry.file, entry.line, entry.spec.name), entry)
        return SpecIndex(homes.values())

    def digest_of(self, docname: str) -> str:
        """Return a digest of the texts and places of other blocks that a page's figures use; equal if still current."""
        facts = [
            (
                self._all.find_links(each.text),
                self._all.find_users(each.text),
                [[source.text for source in level] for level in self._all.find_sources(each.text)],
            )
            for each in self._pages.get(docname, ())
        ]
        return _digest_facts(facts)

    @cached_property
    def shelf_digest(self) -> str:
        """A digest of the inputs of galleries: every listed text, and where it is shown."""
        return _digest_facts(
            [
                (
                    docname,
                    block.text.source.text,
                    block.text.source.name,
                    [(each.name, each.anchor) for each in block.targets],
                )
                for docname, blocks in self._pages.items()
                for block in blocks
                if block.targets
            ]
        )


def _list_entries(docname: str, block: KnownBlock) -> Iterator[SpecEntry]:
    """Yield the specs and fragments whose home is a block."""
    from acdl_mkdocs.workspace.parts import specs_in

    anchors = {target.name: target.anchor for target in block.targets if target.kind != "mark"}
    source = block.text.source
    for spec in specs_in(source) if anchors else ():
        if spec.name in anchors:
            line = source.find_place(spec.span.start).line
            range_mode = spec.range or block.text.options.range
            yield SpecEntry(spec, f"{docname}#{anchors[spec.name]}", source.name, line, range=range_mode)


def _digest_facts(facts: object) -> str:
    return blake2b(repr(facts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _list_contents(path: Path) -> list[str] | None:
    """Return the names in a folder and its subfolders; none for a file, and `None` if nothing is there."""
    return sorted(map(str, path.rglob("*"))) if path.exists() else None


_KINDS = {"spec": ("spec",), "frag": ("fragment",), "mark": ("mark",), "ref": ("spec", "fragment", "mark")}
"""The object types that each role finds."""


class AcdlDomain(Domain):
    """Specs, fragments and marks of a project."""

    name = "acdl"
    label = "ACDL"
    object_types: ClassVar[dict[str, ObjType]] = {
        "spec": ObjType("spec", "spec", "ref"),
        "fragment": ObjType("fragment", "frag", "ref"),
        "mark": ObjType("mark", "mark", "ref"),
    }
    roles: ClassVar[dict[str, Any]] = {role: XRefRole(warn_dangling=True) for role in _KINDS}
    initial_data: ClassVar[dict[str, Any]] = {"blocks": {}, "lists": {}, "seen": {}, "awaited": {}}
    # An environment that another version of this package has made is made anew: its figures may look different.
    data_version = int(code_digest()[:12], 16)

    def __init__(self, env: BuildEnvironment) -> None:
        super().__init__(env)
        self.reported = set[str]()  # problems that this build has reported
        self.used_files = UsedFiles()
        self._project: ProjectBlocks | None = None
        self._homes: Mapping[str, list[tuple[str, FigureTarget]]] | None = None

    def begin_build(self, builder: Builder, folder: Path) -> None:
        """Store the builder and the project folder."""
        self.builder, self.folder = builder, folder
        self.used_files = UsedFiles()  # they may have changed since the last build
        self.reported.clear()

    @property
    def blocks(self) -> dict[str, list[KnownBlock]]:
        """The blocks of each page, by the name of its document, in their order."""
        block_lists: dict[str, list[KnownBlock]] = self.data["blocks"]
        return block_lists

    def pages_with(self, kind: str) -> set[str]:
        """Return the pages that have a gallery or a playbook, by the name of the directive."""
        pages: set[str] = self.data["lists"].setdefault(kind, set())
        return pages

    def note_files(self, files: Iterable[Path]) -> None:
        """Read the current page again when one of these files or folders changes, appears or goes.

        Sphinx itself reads a page again in every build if something that the page depends on is not a file.
        """
        for path in files:
            if path.is_file():
                self.env.note_dependency(str(path))
            else:
                self.data["awaited"].setdefault(self.env.docname, {})[path] = _list_contents(path)

    def list_outdated_pages(self) -> list[str]:
        """Return the pages for which a missing file has appeared, or a folder has other contents."""
        return [
            docname
            for docname, paths in self.data["awaited"].items()
            if any(_list_contents(path) != contents for path, contents in paths.items())
        ]

    def add_block(self, docname: str, block: KnownBlock) -> None:
        """Add a block."""
        self._forget_derived()
        self.blocks.setdefault(docname, []).append(block)

    def clear_doc(self, docname: str) -> None:
        """Forget a page, which is about to be read or was removed."""
        self._forget_derived()
        self.blocks.pop(docname, None)
        self.data["awaited"].pop(docname, None)
        for pages in self.data["lists"].values():
            pages.discard(docname)

    def merge_domaindata(self, docnames: Set[str], otherdata: dict[str, Any]) -> None:
        """Merge pages that another process has read."""
        self._forget_derived()
        for kind in ("blocks", "awaited"):
            self.data[kind] |= {docname: each for docname, each in otherdata[kind].items() if docname in docnames}
        for kind, pages in otherdata["lists"].items():
            self.pages_with(kind).update(pages & docnames)

    def process_doc(self, env: BuildEnvironment, docname: str, document: nodes.document) -> None:
        """Give everything on a page its own anchor: used ids are known when the page has been read."""
        del env
        taken = {*document.ids, *(block.anchor for block in self.blocks.get(docname, ()))}
        for idx, block in enumerate(self.blocks.get(docname, ())):
            self.blocks[docname][idx] = replace(block, targets=tuple(assign_anchors(block, taken)))

    def list_changed_pages(self) -> list[str]:
        """Return the pages whose figures or galleries use something else of other pages than at the last call."""
        digests = {docname: self.collect_blocks().digest_of(docname) for docname in self.blocks}
        for docname in set[str]().union(*self.data["lists"].values()):
            digests[docname] = f"{digests.get(docname)} {self.collect_blocks().shelf_digest}"
        seen, self.data["seen"] = self.data["seen"], digests
        return [docname for docname, digest in digests.items() if seen.get(docname) != digest]

    def collect_blocks(self) -> ProjectBlocks:
        """Return all blocks, for drawing figures."""
        self._project = self._project or ProjectBlocks(self.blocks)
        return self._project

    def check_consistency(self) -> None:
        """Report names with two definitions, and variants without an original."""
        for source in (each.text.source for blocks in self.blocks.values() for each in blocks):
            for problem in unknown_variants(source, self._by_name()):
                where = f"{self.folder / source.name}:{source.find_place(problem.label.span.start).line}"
                report_problem("warning", problem.rule, f"{problem.message}; {problem.help[0]}", where)
        for homes in self._by_name().values():
            first = homes[0][1]
            for docname, target in homes[1:]:
                if target.kind == "mark" or target.words == first.words:
                    continue
                block = self._block_of(docname, target)
                where = f"{self.folder / block.text.source.name}:{target.line}"
                other = self._block_of(homes[0][0], first)
                place = f"{other.text.source.name}:{first.line}"
                message = f"`{target.name}` is defined in {place} too; rename one, or give one block `:no-index:`"
                report_problem("warning", "duplicate-definition", message, where)

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        """Yield the objects for other projects and the search; marks are only for other projects."""
        for homes in self._by_name().values():
            kinds: set[str] = set()
            for docname, target in homes:
                if target.kind not in kinds:
                    kinds.add(target.kind)
                    priority = -1 if target.kind == "mark" else 1
                    yield target.name, target.name, target.kind, docname, target.anchor, priority

    def resolve_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        typ: str,
        target: str,
        node: pending_xref,
        contnode: nodes.Element,
    ) -> nodes.reference | None:
        """Return the link of a role."""
        del env, node
        found = self._find_target(target, _KINDS.get(typ, ()))
        return None if found is None else self._link_to(found, fromdocname, builder, contnode)

    def resolve_any_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        target: str,
        node: pending_xref,
        contnode: nodes.Element,
    ) -> list[tuple[str, nodes.reference]]:
        """Return the link of the role `any`, and of `[text](#Name)` in MyST."""
        del env, node
        found = self._find_target(target, _KINDS["ref"])
        if found is None:
            return []
        role = next(role for role, kinds in _KINDS.items() if found[1].kind in kinds)
        return [(f"{self.name}:{role}", self._link_to(found, fromdocname, builder, contnode))]

    def explain_missing(self, node: pending_xref) -> str:
        """Return the message for a broken reference."""
        role, target = node["reftype"], node["reftarget"]
        names = [name for name, homes in self._by_name().items() if any(each.kind in _KINDS[role] for _, each in homes)]
        near = find_closest(target, names)
        what = {"frag": "fragment", "ref": "spec, fragment or mark"}.get(role, role)
        return f"no {what} named `{target}`{f'; did you mean `{near}`?' if near else ''}"

    def anchor_in(self, builder: Builder, docname: str, anchor: str) -> str:
        """Return the id of a figure in the file that a builder makes of its page.

        If all pages become one file, pages after the first with that id prefix it with their name.
        """
        if builder.name == "singlehtml":
            homes = (name for name in sorted(self.blocks) if any(each.anchor == anchor for each in self.blocks[name]))
            if next(homes, docname) != docname:
                return f"{docname.replace('/', '-')}-{anchor}"
        return anchor

    def _link_to(
        self, home: tuple[str, FigureTarget], fromdocname: str, builder: Builder, content: nodes.Element
    ) -> nodes.reference:
        docname, target = home
        anchor = self.anchor_in(builder, docname, target.anchor)
        is_same_file = builder.name == "singlehtml"
        return make_refnode(builder, docname if is_same_file else fromdocname, docname, anchor, content, target.name)

    def _find_target(self, name: str, kinds: Iterable[str]) -> tuple[str, FigureTarget] | None:
        """Return the first page that has an object, with the object."""
        homes = self._by_name().get(name.strip(), [])
        return next((home for kind in kinds for home in homes if home[1].kind == kind), None)

    def _by_name(self) -> Mapping[str, list[tuple[str, FigureTarget]]]:
        """Map each name to everything that has it, in the order of documents."""
        if self._homes is None:
            homes: dict[str, list[tuple[str, FigureTarget]]] = {}
            for docname in sorted(self.blocks):
                for block in self.blocks[docname]:
                    for target in block.targets:
                        homes.setdefault(target.name, []).append((docname, target))
            self._homes = homes
        return self._homes

    def _block_of(self, docname: str, target: FigureTarget) -> KnownBlock:
        return next(block for block in self.blocks[docname] if any(each is target for each in block.targets))

    def display_path(self, file: str) -> str:
        """Return the display name of a file: its path from the project's folder. Docstrings have other places."""
        path = Path(file)
        if not path.is_file():
            return file
        folders = (self.folder, Path(self.env.srcdir).resolve())
        path = path.resolve()
        return next((path.relative_to(each).as_posix() for each in folders if path.is_relative_to(each)), str(path))

    def _forget_derived(self) -> None:
        """Discard everything derived from the blocks."""
        self._project = self._homes = None


def domain_of(env: BuildEnvironment) -> AcdlDomain:
    """Return the domain of an environment."""
    domain = env.get_domain(AcdlDomain.name)
    if not isinstance(domain, AcdlDomain):
        raise TypeError(f"the domain `{AcdlDomain.name}` is that of another extension: {type(domain).__name__}")
    return domain


def pages_to_read_again(
    app: Sphinx, env: BuildEnvironment, added: Set[str], changed: Set[str], removed: Set[str]
) -> list[str]:
    """Return the pages to read again because of a file that was missing, or of a folder."""
    del app, added, changed
    return [docname for docname in domain_of(env).list_outdated_pages() if docname not in removed]


def pages_to_redraw(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the pages to write again because a fragment has changed on another one."""
    del app
    return domain_of(env).list_changed_pages()


def report_missing(app: Sphinx, domain: Domain | None, node: pending_xref) -> bool | None:
    """Report a broken reference, with a similar name."""
    del app
    if not isinstance(domain, AcdlDomain):
        return None
    report_problem("warning", "unknown-reference", domain.explain_missing(node), node)
    return True
