from __future__ import annotations

import pytest
from kebab_core import (
    AudioMedia,
    CodeMedia,
    ImageMedia,
    MarkdownMedia,
    MediaType,
    OtherMedia,
    PdfMedia,
    TextMedia,
)
from kebab_source_fs import media_type_of


@pytest.mark.parametrize(
    ("names", "media"),
    [
        ("a.md a.markdown a.mdown a.mkd a.mdx A.MD 회의록.Md a.b.md Dockerfile.md", MarkdownMedia()),
        ("a.txt a.TEXT a.rst a.org a.adoc", TextMedia()),
        ("a.pdf a.PDF", PdfMedia()),
        ("a.png", ImageMedia(format="png")),
        ("a.jpg a.jpeg a.JPG", ImageMedia(format="jpeg")),
        ("a.tif a.tiff", ImageMedia(format="tiff")),
        ("a.webp", ImageMedia(format="webp")),
        ("a.gif", ImageMedia(format="gif")),
        ("a.m4a", AudioMedia(format="m4a")),
        ("a.mp3", AudioMedia(format="mp3")),
        ("a.rs", CodeMedia(lang="rust")),
        ("a.py a.pyi", CodeMedia(lang="python")),
        ("a.ts a.tsx a.mts a.cts", CodeMedia(lang="typescript")),
        ("a.js a.mjs a.cjs a.jsx", CodeMedia(lang="javascript")),
        ("a.go", CodeMedia(lang="go")),
        ("a.java", CodeMedia(lang="java")),
        ("a.kt a.kts build.gradle.kts", CodeMedia(lang="kotlin")),
        ("a.c a.h", CodeMedia(lang="c")),
        ("a.cpp a.cc a.cxx a.hpp a.hh a.hxx", CodeMedia(lang="cpp")),
        ("a.yaml a.yml Dockerfile.yml", CodeMedia(lang="yaml")),
        ("Dockerfile dockerfile Dockerfile.dev api.dockerfile", CodeMedia(lang="dockerfile")),
        ("Cargo.toml pyproject.toml", CodeMedia(lang="toml")),
        ("package.json tsconfig.json", CodeMedia(lang="json")),
        ("pom.xml", CodeMedia(lang="xml")),
        ("build.gradle", CodeMedia(lang="groovy")),
        ("go.mod", CodeMedia(lang="go-mod")),
        ("a.sh a.bash a.zsh", CodeMedia(lang="shell")),
        ("Makefile GNUmakefile rules.mk", CodeMedia(lang="make")),
        ("LICENSE .gitignore .md md name. Dockerfiles", OtherMedia()),
        ("a.docx", OtherMedia(label="docx")),
        ("archive.tar.GZ", OtherMedia(label="gz")),
        ("v.mod", OtherMedia(label="mod")),
    ],
)
def test_name_stands_for_its_medium(names: str, media: MediaType) -> None:
    assert {name: media_type_of(name) for name in names.split()} == dict.fromkeys(names.split(), media)
