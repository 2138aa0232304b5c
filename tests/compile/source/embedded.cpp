// tests/compile/source/embedded.cpp - kernel files that are part of the program.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/embedded.hpp>

#include <attune/compile/source/annotations.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>

#include <doctest/doctest.h>

TEST_CASE("an embedded kernel is the file, byte for byte")
{
    attune::kernel_source const embedded = attune::embedded_source("../examples/sgemm.kernel.cpp");
    attune::kernel_source const file = attune::source_file("../../../examples/sgemm.kernel.cpp");
    CHECK(embedded.text == file.text);
    CHECK(embedded.path.ends_with("examples/sgemm.kernel.cpp"));
    CHECK(attune::detail::source_fingerprint(embedded) == attune::detail::source_fingerprint(file));
    CHECK(attune::detail::find_annotations(embedded).size() ==
          attune::detail::find_annotations(file).size());
}

TEST_CASE("every byte survives, and every kernel of a program is found")
{
    attune::kernel_source const odd = attune::embedded_source("support/odd.kernel.cpp");
    CHECK(
        odd.text.find("\"quotes\", back\\slash; semi;colons [brackets] @at@ ${dollar} \xC3\xA4") !=
        std::string::npos);
}

namespace {

constexpr unsigned char gone_text[] = "void gone() {}";
constexpr attune::detail::embedded_file gone_kernel{
    "gone.kernel.cpp", "/nowhere/attune/gone.kernel.cpp", gone_text, sizeof gone_text - 1};
ATTUNE_EMBED(attune_kernels, gone_kernel)

} // namespace

TEST_CASE("a kernel file that is not there any more is read from the program")
{
    attune::kernel_source const gone = attune::source_file("/nowhere/attune/gone.kernel.cpp");
    CHECK(gone.text == "void gone() {}");
    CHECK(gone.path == "/nowhere/attune/gone.kernel.cpp");
    CHECK_THROWS_AS((void)attune::source_file("/nowhere/attune/other.kernel.cpp"), attune::error);
}

TEST_CASE("two kernels of one name are an error with both files, and each is found by its path")
{
    using attune::detail::embedded_file;
    static constexpr embedded_file other{"gone.kernel.cpp", "/elsewhere/gone.kernel.cpp", gone_text,
                                         sizeof gone_text - 1};
    constexpr embedded_file const* both[] = {&gone_kernel, &other};
    attune::detail::embedded_files const files{{both, both + 2}};
    std::string said;
    try {
        (void)attune::detail::embedded_under(files, "gone.kernel.cpp");
    } catch (attune::error const& caught) {
        said = caught.what();
    }
    CHECK(said.find("two kernels 'gone.kernel.cpp' are embedded") != std::string::npos);
    CHECK(said.find("/nowhere/attune/gone.kernel.cpp and /elsewhere/gone.kernel.cpp") !=
          std::string::npos);
    CHECK(attune::detail::embedded_from(files, "/elsewhere/gone.kernel.cpp") == &other);
}

TEST_CASE("a kernel that is not embedded is an error with those that are")
{
    std::string said;
    try {
        (void)attune::embedded_source("other.cpp");
    } catch (attune::error const& caught) {
        said = caught.what();
    }
    CHECK(said.find("no kernel 'other.cpp' is embedded in this program") != std::string::npos);
    CHECK(said.find("../examples/sgemm.kernel.cpp") != std::string::npos);
    CHECK(said.find("support/odd.kernel.cpp") != std::string::npos);
    CHECK(said.find("attune_embed_kernel") != std::string::npos);
}
