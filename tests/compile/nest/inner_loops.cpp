// tests/compile/nest/inner_loops.cpp - the instructions of programs' inner loops on AArch64, counted.
// SPDX-License-Identifier: MIT
#include <attune/compile/nest/write_program.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/space/schedule/derived_space.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../support/nest_examples.hpp"

namespace {

constexpr attune::processor_shape neon{.vector_bytes = 16,
                                       .vector_registers = 32,
                                       .l1_bytes = 64 * 1024,
                                       .l2_bytes = 1024 * 1024,
                                       .l3_bytes = 32 * 1024 * 1024,
                                       .cores = 1,
                                       .loads_apart = true};

/// A program for NEON and the shape of its register tile.
struct tiled_program {
    std::string text;
    std::string configuration;
    std::int64_t rows = 1, vectors = 1;
};

/// @param given  values in the place of defaults
tiled_program tiled(attune::nest_description const& nest,
                    std::map<std::string, std::string> const& given = {})
{
    attune::derived_space const space(nest, neon);
    attune::schedule_choices chosen;
    tiled_program out;
    for (attune::parameter_description const& one : space.describe().parameters) {
        auto const own = given.find(one.name);
        chosen.all.push_back({one.name, own != given.end() ? own->second : *one.default_text});
        out.configuration += one.name + '=' + chosen.all.back().value + ' ';
        if (one.name == "ROWS") out.rows = std::stoll(chosen.all.back().value);
        if (one.name == "VECTORS") out.vectors = std::stoll(chosen.all.back().value);
    }
    out.text = attune::write_program(space.schedule(chosen).program);
    return out;
}

/// The instructions of a loop without a loop or a branch inside.
struct counted_loop {
    int all = 0;
    int fused = 0;   ///< multiply-adds of vectors
    int apart = 0;   ///< products and sums of vectors that are not fused
    int spilled = 0; ///< vectors on the stack
};

bool begins(std::string_view line, std::string_view word) { return line.starts_with(word); }

/// The innermost loop with the most multiply-adds.
counted_loop main_loop(std::vector<std::string> const& lines)
{
    std::map<std::string, std::size_t> labels;
    counted_loop out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::string const& line = lines[i];
        if (begins(line, ".LBB")) labels[line.substr(0, line.find(':'))] = i;
        auto const is_branch = [](std::string const& l) {
            return begins(l, "b.") || begins(l, "b\t") || begins(l, "cb") || begins(l, "tb");
        };
        if (!is_branch(line)) continue;
        auto const to = labels.find(line.substr(std::min(line.rfind('.'), line.size())));
        if (to == labels.end()) continue;
        counted_loop now;
        bool is_innermost = true;
        for (std::size_t at = to->second + 1; at <= i; ++at) {
            std::string const& l = lines[at];
            if (l.empty() || l[0] == '.' || l[0] == '/') continue;
            is_innermost = is_innermost && (at == i || !is_branch(l));
            ++now.all;
            if (begins(l, "fmla")) ++now.fused;
            if (begins(l, "fmul\tv") || begins(l, "fadd\tv")) ++now.apart;
            if (l.find("[sp") != l.npos && l.find("\tq") != l.npos) ++now.spilled;
        }
        if (is_innermost && now.fused > out.fused) out = now;
    }
    return out;
}

std::string clang()
{
    for (char const* const name : {"clang++-19", "clang++-18", "clang++-17", "clang++-16"})
        if (!attune::detail::find_program(name).empty()) return name;
    return {};
}

std::vector<std::string> assembly_of(std::string const& text)
{
    attune::detail::temporary_folder const folder;
    std::string const source = folder.write("program.cpp", text);
    std::string const made = folder.path() + "/program.s";
    auto const run =
        attune::detail::run_process({clang(), "--target=aarch64-linux-gnu", "-std=c++17", "-O3",
                                     "-ffreestanding", "-w", "-S", source, "-o", made},
                                    120);
    CAPTURE(run.output);
    REQUIRE(run.succeeded());
    std::vector<std::string> lines;
    std::ifstream file(made);
    for (std::string line; std::getline(file, line);) {
        line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
        lines.push_back(line);
    }
    return lines;
}

/// The program with double in the place of float everywhere.
attune::nest_description in_double(attune::nest_description nest)
{
    using enum attune::element_type;
    nest = support::with_elements(std::move(nest), f64, f64);
    for (attune::nest_node& node : nest.nodes)
        if (node.type == f32) node.type = f64;
    for (attune::nest_statement& one : nest.statements)
        if (one.accumulator == f32) one.accumulator = f64;
    return nest;
}

/// Instructions that the loop needs: the multiply-adds, one load for the factor of each row, loads
/// of two vectors each, and two pointers, a comparison and a branch.
double by_hand(tiled_program const& of, int fused)
{
    double const steps = fused / static_cast<double>(of.rows * of.vectors);
    return fused + steps * (static_cast<double>(of.rows) + static_cast<double>(of.vectors) / 2) + 4;
}

} // namespace

TEST_CASE("inner loops of products on NEON have as many instructions as by hand, and no spills")
{
    if (clang().empty()) {
        MESSAGE("skipped: there is no clang++");
        return;
    }
    std::vector<std::pair<std::string, attune::nest_description>> const programs{
        {"matmul", support::matmul(512, 512, 512)},
        {"matmul, continued", support::matmul(512, 512, 512, true)},
        {"wide", support::matmul(64, 2048, 256)},
        {"deep", support::matmul(128, 128, 4096)},
        {"small", support::matmul(48, 48, 48)},
        {"double", in_double(support::matmul(512, 512, 512))},
        {"any size", support::matmul_of_inputs()},
        {"gelu", support::dense_gelu(512, 512, 512)},
        {"convolution 3 x 3", support::convolution(56, 64, 64, 3, 1, 1)},
        {"convolution 1 x 1", support::convolution(28, 128, 128, 1, 1, 0)},
        {"convolution, stride 2", support::convolution(56, 64, 128, 3, 2, 1)},
        {"bias and relu", support::with_bias_and_relu(support::matmul(256, 256, 256))},
    };
    for (auto const& [name, nest] : programs) {
        tiled_program const program = tiled(nest);
        counted_loop const found = main_loop(assembly_of(program.text));
        CAPTURE(name);
        CAPTURE(program.configuration);
        CAPTURE(found.all);
        CAPTURE(found.fused);
        CHECK(found.fused >= program.rows * program.vectors);
        CHECK(found.fused % (program.rows * program.vectors) == 0);
        CHECK(found.apart == 0);
        CHECK(found.spilled == 0);
        CHECK(found.all <= 1.1 * by_hand(program, found.fused));
        CHECK(found.all >= 0.9 * by_hand(program, found.fused));
    }
}
