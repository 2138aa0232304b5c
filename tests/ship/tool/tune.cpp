// tests/ship/tool/tune.cpp - attune tune, and attune export --code: words, errors, a table and files.
// SPDX-License-Identifier: MIT
#include <attune/ship/tool/tool.hpp>

#include <doctest/doctest.h>

#include "run_here.hpp"

using attune_test::has;
using support::ran;
using support::run_here;

#ifdef ATTUNE_TEST_ONNX

#include "../../declare/model/onnx/graph_writer.hpp"

using namespace onnx_tests;

namespace {

/// A product of a batch, with an operator behind it that has no formula.
[[nodiscard]] std::string small_graph()
{
    graph_writer g("small");
    std::string const w = g.numbers({64, 48}, std::vector<float>(64 * 48, 0.5F));
    std::string const y = g.add("Relu", {g.add("MatMul", {g.input("x", {"rows"_d, 64_d}), w})});
    g.output(g.add("CumSum", {y, g.integer(0)}));
    return g.bytes();
}

} // namespace

TEST_CASE("attune tune names the layers of a model, tunes them, and writes their code")
{
    auto const [folder, model] = support::scratch_file("small.onnx", small_graph());
    ran const listed = run_here({"tune", model, "--list", "--shape", "x=32x64"});
    CHECK(listed.code == 0);
    CHECK(has(listed.out, "matmul_32x48_over_64"));
    CHECK(has(listed.out, "outside: CumSum, 1, "));

    std::string const store = folder.file("small.attune");
    ran const tuned =
        run_here({"tune", model, "--shape", "x=32x64", "--evaluations", "4", "--store", store,
                  "--code", folder.file("kernels"), "-o", folder.file("table.md")});
    CHECK(tuned.code == 0);
    CHECK(has(tuned.out, "| matmul_32x48_over_64 | MatMul Relu | 1 |"));
    CHECK(has(tuned.out, "outside: CumSum, 1 node: the operator CumSum has no formula here"));
    CHECK(has(tuned.err, "has 1 file"));
    CHECK(has(support::read_file(folder.file("table.md")), tuned.out));
    std::string const code = support::read_file(folder.file("kernels/matmul_32x48_over_64.cpp"));
    CHECK(has(code, "extern \"C\" void matmul_32x48_over_64("));

    ran const exported = run_here(
        {"export", store, "--code", model, "--shape", "x=32x64", "-o", folder.file("again")});
    CHECK(exported.code == 0);
    CHECK(has(exported.out, ": 1 layer"));
    CHECK(support::read_file(folder.file("again/matmul_32x48_over_64.cpp")) == code);

    ran const json =
        run_here({"tune", model, "--shape", "x=32x64", "--evaluations", "0", "--json"});
    CHECK(json.code == 0);
    CHECK(has(json.out, "\"name\":\"matmul_32x48_over_64\""));
}

TEST_CASE("attune tune says what is wrong with words and files")
{
    auto const [folder, model] = support::scratch_file("small.onnx", small_graph());
    auto const said = [&](std::vector<std::string> const& more) {
        std::vector<std::string> words{"tune"};
        words.insert(words.end(), more.begin(), more.end());
        return run_here(words);
    };
    ran const open = said({model});
    CHECK(open.code == 3);
    CHECK(has(open.err, "the input x has no fixed shape: ?x64"));
    CHECK(has(open.err, "--shape x=?x64"));
    CHECK(said({model, "--shape", "x"}).code == 2);
    CHECK(said({model, "--shape", "x=1xx3"}).code == 2);
    CHECK(said({model, "--shape", "=1x3"}).code == 2);
    CHECK(has(said({model, "--shape", "y=1"}).err, "which is no input"));
    CHECK(has(said({model, "--shape", "x=32x63"}).err, "the file has 64 there"));
    CHECK(has(said({model, "--budget", "soon"}).err, "--budget is a time"));
    CHECK(said({model, "--budget", "-3s"}).code == 2);
    CHECK(has(said({folder.file("none.onnx")}).err, "an ONNX file cannot be read"));
    support::write_file(folder.file("text.onnx"), "this is no graph");
    CHECK(said({folder.file("text.onnx")}).code == 3);
    CHECK(said({}).code == 2);
    ran const nowhere = run_here({"export", model, "--code", model});
    CHECK(nowhere.code == 2);
    CHECK(has(nowhere.err, "--output FOLDER"));
}

#else

TEST_CASE("attune tune without libonnx says how to get it")
{
    ran const said = run_here({"tune", "model.onnx"});
    CHECK(said.code == 3);
    CHECK(has(said.err, "built without libonnx"));
}

#endif
