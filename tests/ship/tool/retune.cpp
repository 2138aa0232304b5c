// tests/ship/tool/retune.cpp - a call is captured in one process, tuned on in another, and served from the store in a third.
// SPDX-License-Identifier: MIT
#include <attune/compile/system/process.hpp>
#include <attune/remember/files/captured_call.hpp>
#include <attune/remember/store.hpp>
#include <attune/ship/tool/tool.hpp>
#include <attune/tune/capture.hpp>
#include <attune/tune/tuned.hpp>

#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/set_variable.hpp"
#include "run_here.hpp"

using attune::detail::process_result;
using attune::detail::run_process;
using attune_test::has;
using support::run_here;

namespace {

constexpr char const* kernel_variable = "ATTUNE_TEST_KERNEL";
constexpr char const* store_variable = "ATTUNE_TEST_STORE";

/// Calls the kernel, and prints what served. @param name  of the kernel
void run_app(std::string const& name)
{
    using namespace attune_test;
    attune::kernel<accumulate_signature> kernel{name, accumulate_source(), ways<usual, fast>()};
    kernel.any_shape(); // where arrays lie differs from process to process
    auto options = quick_options(attune::default_progress());
    options.limits.evaluations = 2;
    attune::tuned accumulate{kernel, accumulate_compiler(),
                             attune::store{std::getenv(store_variable)}, options};
    accumulate_data data;
    accumulate(data.x, data.y, 3.0);
    std::printf("app: %s, %s, %s\n", data.called_times(1, 3.0) ? "right" : "wrong",
                accumulate.report().how == attune::decision::remembered ? "remembered" : "new",
                accumulate.report().configuration.c_str());
    std::fflush(stdout);
}

struct program {
    support::scratch_directory folder{};
    std::string capture = folder.file("accumulate.capture");
    std::string store = folder.file("accumulate.attune");
    attune_test::set_variable const here{store_variable, store};
    std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    std::vector<std::string> words{self, "--no-skip", "--test-case=process of a test: the app"};

    /// In the folder, with these variables.
    [[nodiscard]] process_result run(std::vector<std::string> with, std::string const& name) const
    {
        attune_test::set_variable const kernel(kernel_variable, name);
        std::vector<std::string> all{"sh", "-c", "cd \"$0\" && exec env \"$@\"", folder.path()};
        all.insert(all.end(), with.begin(), with.end());
        all.insert(all.end(), words.begin(), words.end());
        return run_process(all, 120.0);
    }
    /// attune retune
    [[nodiscard]] process_result retune(std::vector<std::string> with,
                                        std::string const& name) const
    {
        attune_test::set_variable const kernel(kernel_variable, name);
        std::vector<std::string> all{ATTUNE_PROGRAM, "retune", capture};
        all.insert(all.end(), with.begin(), with.end());
        all.emplace_back("--");
        all.insert(all.end(), words.begin(), words.end());
        return run_process(all, 120.0);
    }
    void make_capture() const
    {
        REQUIRE(run({"ATTUNE_MODE=lookup_only", "ATTUNE_CAPTURE=accumulate"}, "accumulate")
                    .succeeded());
        REQUIRE(std::filesystem::exists(capture));
    }
};

} // namespace

TEST_CASE("process of a test: the app" * doctest::skip())
{
    if (char const* const name = std::getenv(kernel_variable)) run_app(name);
}

TEST_CASE("captured in one process, tuned on in another, served from the store in a third")
{
    program const app;
    process_result const first =
        app.run({"ATTUNE_MODE=lookup_only", "ATTUNE_CAPTURE=accumulate:1MiB"}, "accumulate");
    CHECK(has(first.output, "app: right, new, "));
    CHECK(has(first.output, "attune: accumulate: a call (16000 bytes) is captured in "));
    CHECK(has(first.output, "; attune retune accumulate.capture -- PROGRAM tunes on it"));
    REQUIRE(std::filesystem::exists(app.capture));
    process_result const second = app.retune({}, "accumulate");
    CHECK_MESSAGE(second.exit_status == 0, second.output);
    CHECK(has(second.output, "x faster than the default"));
    CHECK(has(second.output, "; WAY=1; 2 evaluations in "));
    CHECK(!has(second.output, "app:")); // its own work was not asked for
    process_result const third = app.run({"ATTUNE_MODE=lookup_only"}, "accumulate");
    CHECK(has(third.output, "app: right, remembered, WAY=1"));
    process_result const anew = app.retune({}, "accumulate");
    CHECK(has(anew.output, "; 2 evaluations in "));
    process_result const known = app.retune({"--known", "--json"}, "accumulate");
    CHECK(known.exit_status == 0);
    auto const line = known.output.substr(known.output.find('{'));
    auto const json = nlohmann::json::parse(line.substr(0, line.find('\n')));
    CHECK(json["how"] == "remembered");
    CHECK(json["configuration"] == "WAY=1");
    // Without the tool, the program goes on with its own work.
    std::filesystem::remove(app.store);
    process_result const alone =
        app.run({"ATTUNE_MODE=lookup_only", "ATTUNE_REPLAY=" + app.capture}, "accumulate");
    CHECK(has(alone.output, "tuned for the captured call: "));
    CHECK(has(alone.output, "app: right, new, WAY=1"));
}

TEST_CASE("where nothing can come of it, the program runs as ever, and the tool says why")
{
    program const app;
    app.make_capture();
    process_result const first = app.retune({}, "gather");
    CHECK(first.exit_status == 1);
    CHECK(has(first.output, "app: right, new, "));
    process_result const other = app.retune({}, "gather");
    CHECK(other.exit_status == 1);
    CHECK(has(other.output, "app: right, remembered, ")); // its other kernels are not tuned again
    CHECK(has(other.output, "ended with 0 before it made a tuned kernel 'accumulate'"));
    std::string text = support::read_file(app.capture);
    text.back() = static_cast<char>(text.back() ^ 1);
    support::write_file(app.capture, text);
    process_result const damaged = app.retune({}, "accumulate");
    CHECK(damaged.exit_status == 3);
    CHECK(has(damaged.output, "the capture is damaged: its arrays have another checksum"));
    CHECK(!has(damaged.output, "app:"));
    process_result const alone =
        app.run({"ATTUNE_MODE=lookup_only", "ATTUNE_REPLAY=" + app.capture}, "accumulate");
    CHECK(has(alone.output, "ATTUNE_REPLAY has no effect: the capture is damaged"));
    CHECK(has(alone.output, "app: right, new, WAY=0"));
    process_result const missing =
        app.run({"ATTUNE_MODE=lookup_only", "ATTUNE_REPLAY=none.capture"}, "accumulate");
    CHECK(has(missing.output, "ATTUNE_REPLAY has no effect: the capture cannot be read"));
    CHECK(has(missing.output, "app: right, new, WAY=0"));
}

TEST_CASE("a capture is described; words and programs that are none are refused")
{
    program const app;
    app.make_capture();
    support::ran const shown = run_here({"retune", "--describe", app.capture});
    CHECK(shown.code == 0);
    CHECK(has(shown.out, "kernel     accumulate\n"));
    CHECK(has(shown.out, "signature  void(std::span<double const>, std::span<double>, double)\n"));
    CHECK(has(shown.out, "bytes      16000\n"));
    CHECK(has(shown.out, "std::span<double const>  f64      "));
    auto const json =
        nlohmann::json::parse(run_here({"retune", "--describe", "--json", app.capture}).out);
    CHECK(json["arguments"][0]["lengths"] == std::vector<int>{1000});
    CHECK(json["arguments"][2]["value"] == "3");
    CHECK(json["bytes"] == 16000);
    support::ran const no_program = run_here({"retune", app.capture});
    CHECK(no_program.code == 2);
    CHECK(has(no_program.err, "the program is missing"));
    support::ran const none = run_here({"retune", app.capture, "--", app.folder.file("none")});
    CHECK(none.code == 3);
    CHECK(has(none.err, "there is no such program"));
    support::write_file(app.folder.file("text"), "no program");
    std::filesystem::permissions(app.folder.file("text"), std::filesystem::perms::owner_all);
    CHECK(run_here({"retune", app.capture, "--", app.folder.file("text")}).code == 3);
    CHECK(run_here({"retune", app.folder.file("none"), "--", "true"}).code == 3);
    support::ran const killed = run_here({"retune", app.capture, "--", "sh", "-c", "kill -9 $$"});
    CHECK(killed.code == 1);
    CHECK(has(killed.err, "was ended by signal 9"));
    CHECK(run_here({"retune", app.capture, "--", "sh", "-c", "kill -2 $$"}).code == 130);
    CHECK(has(run_here({"retune", "--help"}).out, "ATTUNE_CAPTURE=sgemm:64MiB ./app"));
    CHECK(has(run_here({"completion"}).out, "retune) words='--help --describe --known --json'"));
}
