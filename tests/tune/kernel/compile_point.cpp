// tests/tune/kernel/compile_point.cpp - code that is refused before it runs.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel/compile_point.hpp>

#include <attune/attune.hpp>

#include <doctest/doctest.h>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/scripted_compiler.hpp"
#include "../../support/scripted_device.hpp"
#include "../../support/texts.hpp"

using namespace attune_test;
using attune::failure_stage;

namespace {

inline constexpr auto block = attune::ordinal<"BLOCK">(attune::values(64, 512, 1024));

attune::kernel<void(std::span<float>)> kernel()
{
    attune::kernel<void(std::span<float>)> out{
        "fill", attune::source_text("constexpr int b = ATTUNE_TUNABLE(BLOCK, 64);\n", "fill.cu"),
        attune::space(block)};
    out.grid(10).block(block);
    return out;
}

/// 100 registers a thread; blocks of 512 spill.
scripted_device_compiler::answer resources(attune::compile_request const& v)
{
    int const threads = value_of(v, "BLOCK");
    attune::code_resources out;
    out.registers = 100;
    out.spill_bytes = threads == 512 ? 24 : 0;
    return out;
}

scripted_device_compiler::answer no_code(attune::compile_request const&)
{
    return attune::failure{failure_stage::compile, "error: no"};
}
scripted_compiler::answer any_code(attune::compile_request const&)
{
    static int code = 0;
    return static_cast<void*>(&code);
}

/// Its code has 1000 bytes, and a frame of 64 for each BLOCK.
struct sizing_compiler : attune_test::scripted_compiler {
    sizing_compiler()
        : scripted_compiler(any_code)
    {
    }
    attune::compile_result compile(attune::kernel_source const& kernel,
                                   attune::compile_request const& v)
    {
        attune::compile_result out = scripted_compiler::compile(kernel, v);
        std::get<attune::callable>(out).size = {1000, 64 * value_of(v, "BLOCK")};
        return out;
    }
};

template <class Compiler>
attune::compile_result compile(Compiler compiler, attune::kernel_description const& k, int value,
                               std::vector<double>* features = nullptr, bool is_for_trial = false)
{
    attune::detail::any_compiler const any = attune::detail::make_any_compiler(compiler);
    attune::detail::device_finder const find_device = attune::detail::make_device_finder(compiler);
    auto const device = find_device ? find_device() : nullptr;
    attune::description const bound = attune::bind_inputs(k.space, {});
    attune::point const at{*attune::coordinate_of(bound.parameters[0], std::to_string(value))};
    auto const by =
        is_for_trial ? attune::detail::compile_for_trial : attune::detail::compile_point;
    return by(k, bound, any, device.get(), at, features);
}

attune::failure failure_of(attune::compile_result const& r)
{
    auto const* const why = std::get_if<attune::failure>(&r);
    return why ? *why : attune::failure{failure_stage::crash, "it is code"};
}

} // namespace

TEST_CASE("code that the device can launch and that keeps the rules is code")
{
    auto k = kernel();
    k.require(attune::spill_bytes == 0);
    auto const made = compile(scripted_device_compiler{resources}, k.describe(), 64);
    REQUIRE(std::holds_alternative<attune::callable>(made));
    auto const& code = attune::device_variant_of(std::get<attune::callable>(made));
    CHECK(code.launch.block[0] == 64);
    CHECK(code.launch.grid[0] == 10);
}

TEST_CASE("code that breaks a rule, or that the device cannot launch, fails at launch")
{
    auto k = kernel();
    k.require(attune::spill_bytes == 0);
    attune::failure why =
        failure_of(compile(scripted_device_compiler{resources}, k.describe(), 512));
    CHECK(why.stage == failure_stage::launch);
    CHECK(has(why.reason, "spill_bytes"));
    CHECK(has(why.reason, "24"));
    // 102400 registers of 65536.
    why = failure_of(compile(scripted_device_compiler{resources}, kernel().describe(), 1024));
    CHECK(why.stage == failure_stage::launch);
    CHECK(has(why.reason, "registers"));
}

TEST_CASE("a compiler's own failure stays what it is, and what is not known is never taken as true")
{
    scripted_device_compiler refusing{no_code};
    CHECK(failure_of(compile(refusing, kernel().describe(), 1024)).reason == "error: no");
    auto k = kernel();
    k.require(attune::registers < 1);
    scripted_compiler const processor{any_code};
    CHECK(std::holds_alternative<attune::callable>(compile(processor, kernel().describe(), 1024)));
    attune::failure const why = failure_of(compile(processor, k.describe(), 1024));
    CHECK(why.stage == failure_stage::launch);
    CHECK(why.reason == "registers < 1 has no value: registers = not known");
}

TEST_CASE("code for this processor that breaks a rule is not run")
{
    auto k = kernel();
    k.require(attune::code_bytes <= 1000, attune::stack_bytes <= 512 * 64);
    sizing_compiler const compiler;
    CHECK(std::holds_alternative<attune::callable>(compile(compiler, k.describe(), 512)));
    attune::failure const why = failure_of(compile(compiler, k.describe(), 1024));
    CHECK(why.stage == failure_stage::launch);
    CHECK(why.reason == "stack_bytes <= 32768 does not hold: stack_bytes = 65536");
}

TEST_CASE("what needs more memory than is free is not compiled for a trial, but where it is known")
{
    auto k = kernel();
    k.memory(1e30 * (block > 64)); // no machine has so much
    scripted_compiler const compiler{any_code};
    auto const trial = [&](int value) {
        return compile(compiler, k.describe(), value, nullptr, true);
    };
    CHECK(std::holds_alternative<attune::callable>(trial(64)));
    CHECK(compiler.compiled().size() == 1);
    attune::failure const why = failure_of(trial(512));
    CHECK(why.stage == failure_stage::launch);
    CHECK(has(why.reason, "kernel.memory(...)"));
    CHECK(compiler.compiled().size() == 1);
    CHECK(std::holds_alternative<attune::callable>(compile(compiler, k.describe(), 512)));
}

TEST_CASE("features are read of all code for a device, refused or not, and of nothing else")
{
    auto k = kernel();
    k.require(attune::spill_bytes == 0).features(attune::registers, attune::spill_bytes);
    auto const read = [&](auto compiler, int value) {
        std::vector<double> out;
        (void)compile(std::move(compiler), k.describe(), value, &out);
        return out;
    };
    scripted_device_compiler const device{resources};
    CHECK(read(device, 64) == std::vector<double>{100, 0});
    CHECK(read(device, 512) == std::vector<double>{100, 24}); // breaks the rule
    CHECK(read(device, 1024) == std::vector<double>{100, 0}); // cannot be launched
    CHECK(read(scripted_device_compiler{no_code}, 64).empty());
    CHECK(read(scripted_compiler{any_code}, 64).empty());
}
