// tests/tune/dispatch/choice/default_code.cpp - sizes that never repeat share the tunings of a few.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/choice/default_code.hpp>
// and what the tests need besides
#include <attune/remember/memory_store.hpp>
#include <attune/tune/tuned.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../../support/accumulate.hpp"
#include "../../../support/recorded_progress.hpp"
#include "../../../support/scripted_compiler.hpp"
#include "../../../support/texts.hpp"

using namespace attune_test;
using attune::decision;

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto step = attune::ordinal<"STEP">(attune::values(1, 2, 4));

/// Right for every size; 4 is the fastest.
template <int Step>
void fill(std::span<int> out, int size)
{
    idle(Step == 4 ? 20'000 : 400'000);
    for (int& v : out)
        v = size;
}

scripted_compiler fill_compiler()
{
    return scripted_compiler{[](attune::compile_request const& v) -> scripted_compiler::answer {
        std::string const& chosen = v.macros.at(0).value;
        if (chosen == "1") return reinterpret_cast<void*>(&fill<1>);
        if (chosen == "2") return reinterpret_cast<void*>(&fill<2>);
        return reinterpret_cast<void*>(&fill<4>);
    }};
}

using fill_signature = void(std::span<int>, int);

template <class Space>
attune::kernel<fill_signature> fill_kernel(Space const& space, char const* start = "1")
{
    attune::kernel<fill_signature> out{
        "fill",
        attune::source_text(std::string("int step = ATTUNE_TUNABLE(STEP, ") + start + ");",
                            "fill.kernel.cpp"),
        space};
    out.bind<1>(n);
    return out;
}

int up_to_hundreds(int size) { return (size + 99) / 100 * 100; }

} // namespace

TEST_CASE("sizes that never repeat are tuned once for each bucket, and results are theirs")
{
    auto kernel = fill_kernel(attune::space(step));
    kernel.bucket<1>(up_to_hundreds);
    recorded_progress heard;
    attune::memory_store store;
    attune::tuned call{kernel, fill_compiler(), store, quick_options(heard.sink())};
    std::uint64_t by_class = 0;
    for (int i = 0; i < 90; ++i) {
        int const size = 120 + i * 37 % 200; // none comes twice
        std::vector<int> out(static_cast<std::size_t>(size));
        call(out, size);
        CHECK(out.back() == size);
        by_class = std::max(by_class, call.report().shapes.by_class);
    }
    CHECK(heard.count(attune::progress_event::started) == 3); // 200, 300, 400
    CHECK(by_class > 0);
    CHECK(call.report().shapes.wrong == 0);
    std::vector<int> out(150);
    CHECK(call.is_tuned(out, 150));
    CHECK_FALSE(call.is_tuned(out, 77));
}

TEST_CASE("a record has the input that stands for others, and says that it does")
{
    auto kernel = fill_kernel(attune::space(step));
    kernel.bucket(up_to_hundreds);
    recorded_progress heard;
    std::vector<int> out(150);
    auto const how = [&](attune::memory_store& in, attune::kernel<fill_signature> const& k,
                         int size) {
        struct seen_store { // a tuned object owns its store
            attune::memory_store* held;
            attune::lookup_result find(attune::record_key const& key) { return held->find(key); }
            void add(attune::record const& r) { held->add(r); }
            std::vector<std::string> notices() { return held->notices(); }
        };
        attune::tuned call{k, fill_compiler(), seen_store{&in}, quick_options(heard.sink())};
        call(out, size);
        return call.report().how;
    };
    attune::memory_store store;
    CHECK(how(store, kernel, 120) == decision::tuned);
    REQUIRE(store.records().size() == 1);
    CHECK(store.records()[0].key.inputs == attune::named_texts{{"N", "200"}});
    CHECK(store.records()[0].key.setting == attune::named_texts{{"bucket", "yes"}});
    CHECK(how(store, kernel, 133) == decision::remembered);
    CHECK(how(store, kernel, 201) == decision::tuned);
    CHECK(how(store, fill_kernel(attune::space(step)), 200) == decision::tuned); // of no bucket
}

TEST_CASE("a winner that breaks a constraint for a call's own size does not serve it")
{
    auto kernel = fill_kernel(attune::space(step).where(n % step == 0));
    kernel.bucket<1>(up_to_hundreds);
    recorded_progress heard;
    attune::tuned call{kernel, fill_compiler(), quick_options(heard.sink())};
    std::vector<int> out(8);
    call(out, 104);
    CHECK(call.report().configuration == "STEP=4");
    call(out, 106); // no multiple of 4
    CHECK(out[0] == 106);
    CHECK(has(call.report().serving, "for these inputs it breaks N % STEP == 0"));
    call(out, 108);
    CHECK_FALSE(has(call.report().serving, "it breaks"));
    CHECK(heard.count(attune::progress_event::started) == 1);
    CHECK_FALSE(has(heard.texts(attune::progress_event::notice), "kernel.bucket"));
}

TEST_CASE("a size for which the default is not valid is not tuned, and a notice says so once")
{
    auto kernel = fill_kernel(attune::space(step).where(n % step == 0), "4");
    kernel.bucket<1>(up_to_hundreds);
    recorded_progress heard;
    attune::tuned call{kernel, fill_compiler(), quick_options(heard.sink())};
    std::vector<int> out(8);
    for (int const size : {106, 107, 106, 111}) {
        call(out, size);
        CHECK(out[0] == size);
        CHECK(call.report().how == decision::served_default);
    }
    CHECK(heard.count(attune::progress_event::started) == 0);
    std::string const said = heard.texts(attune::progress_event::notice);
    CHECK(has(said,
              "kernel.bucket(f) of kernel 'fill' gives inputs with another default: for these "
              "inputs it breaks N % STEP == 0"));
    CHECK(said.find("kernel.bucket") == said.rfind("kernel.bucket"));
    call(out, 112);
    CHECK(heard.count(attune::progress_event::started) == 1);
}

TEST_CASE("buckets that cannot be are errors that say what to do")
{
    attune::kernel<fill_signature> kernel{
        "fill", attune::source_text("int step = ATTUNE_TUNABLE(STEP, 1);", "fill.kernel.cpp"),
        attune::space(step)};
    kernel.bucket<1>(up_to_hundreds);
    std::string const said = error_of([&] { attune::tuned call{kernel, fill_compiler()}; });
    CHECK(has(said, "a bucket is declared for an argument that is bound to no input"));
    CHECK(has(said, "kernel.bucket<1>(f) of kernel 'fill'"));
    CHECK(has(said, "call kernel.bind<1>(input) too"));
    kernel.bind<1>(n);
    CHECK_NOTHROW(attune::detail::require_buckets(kernel.describe()));
}

TEST_CASE("what the function throws leaves the call, and the next call goes on")
{
    auto kernel = fill_kernel(attune::space(step));
    bool is_angry = true;
    kernel.bucket<1>([&](int size) {
        if (is_angry) throw std::runtime_error("not today");
        return up_to_hundreds(size);
    });
    attune::tuned call{kernel, fill_compiler(), quick_options()};
    std::vector<int> out(8);
    CHECK_THROWS_AS(call(out, 5), std::runtime_error);
    is_angry = false;
    call(out, 5);
    CHECK(out[0] == 5);
    CHECK(call.report().how == decision::tuned);
}

TEST_CASE("in the background the winner serves from a later call on")
{
    auto kernel = fill_kernel(attune::space(step));
    kernel.bucket<1>(up_to_hundreds);
    auto options = quick_options();
    options.on_miss = attune::miss_policy::tune_in_background;
    attune::tuned call{kernel, fill_compiler(), options};
    std::vector<int> out(8);
    call(out, 104);
    call.wait();
    call(out, 104);
    CHECK(out[0] == 104);
    CHECK(call.is_tuned(out, 199));
}
