// attune/ship/bake/build_proofs.ipp - reads shapes, and joins the store's proofs with those of a build.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/bake/build_proofs.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// "2 elements of argument 0, ...": the layout in words.
[[nodiscard]] inline std::string words_of_layout(std::vector<shape_word> const& layout)
{
    std::string out;
    std::size_t last = static_cast<std::size_t>(-1);
    for (shape_word const& word : layout) {
        if (word.part == shape_part::places || word.part == shape_part::overlaps) continue;
        bool const is_array = word.part == shape_part::elements ||
                              (word.argument == last && word.part == shape_part::number);
        out += (out.empty() ? "" : ", ") +
               std::string(!is_array               ? "the value"
                           : word.argument != last ? "the size"
                                                   : "another size or stride") +
               " of argument " + std::to_string(word.argument);
        last = word.argument;
    }
    return out;
}

/// Reads a number of a shape as the word of a key.
[[nodiscard]] inline bool word_in(std::string_view text, shape_word const& word,
                                  shape_choice const& choice, std::int64_t& out)
{
    if (word.part == shape_part::real) {
        auto const value = parse_number<double>(text);
        if (!value || !std::isfinite(*value)) return false;
        auto const bits = std::bit_cast<std::int64_t>(*value);
        out = choice.is_bound(word.argument) ? bits : real_class(bits);
        return true;
    }
    auto const value = parse_number<std::int64_t>(text);
    out = value.value_or(0);
    return value && (word.part != shape_part::elements || out >= 0);
}

[[nodiscard]] inline std::vector<std::int64_t> shape_in(bake_plan const& plan,
                                                        std::string const& text)
{
    std::vector<shape_word> const& layout = plan.facts.layout;
    shape_choice const choice = shape_choice_of(plan.facts);
    std::vector<std::int64_t> out;
    auto const refuse = [&] {
        throw error("this is no shape of a call of " + plan.kernel, text,
                    "give KNOWN, a file, or the numbers of a shape: " + words_of_layout(layout));
    };
    std::string_view rest = text;
    for (shape_word const& word : layout) {
        if (word.part == shape_part::places) {
            out.push_back(several_places);
            continue;
        }
        if (word.part == shape_part::overlaps) {
            out.push_back(0);
            continue;
        }
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        std::string_view const one = rest.substr(0, rest.find_first_of(" \t"));
        rest.remove_prefix(one.size());
        std::int64_t number = 0;
        if (!word_in(one, word, choice, number)) refuse();
        out.push_back(number);
    }
    if (rest.find_first_not_of(" \t") != rest.npos) refuse();
    return out;
}

/// The sort key of a call: its sizes, one by one.
[[nodiscard]] inline double sum_of_sizes(bake_plan const& plan,
                                         std::vector<std::int64_t> const& shape)
{
    double out = 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (is_size(plan.facts.layout[i].part)) out += static_cast<double>(shape[i]);
    return out;
}

ATTUNE_INLINE std::vector<std::vector<std::int64_t>>
listed_shapes(bake_plan const& plan, std::vector<std::string> const& asked)
{
    std::vector<std::vector<std::int64_t>> out;
    for (std::string const& one : asked) {
        std::error_code failed;
        if (one == "KNOWN") {
            if (plan.facts.any_shape || !plan.facts.ignored.empty())
                throw error("the store does not know whole shapes of calls of " + plan.kernel,
                            "kernel.any_shape() or kernel.ignore<i>() leave out some of it",
                            "list the shapes that are to be verified");
            out.insert(out.end(), plan.known_shapes.begin(), plan.known_shapes.end());
        } else if (std::filesystem::is_regular_file(one, failed)) {
            std::ifstream in(one);
            for (std::string line; std::getline(in, line);) {
                line.resize(std::min(line.find('#'), line.size()));
                line.resize(line.find_last_not_of(" \t\r") + 1);
                if (!line.empty()) out.push_back(shape_in(plan, line));
            }
        } else {
            out.push_back(shape_in(plan, one));
        }
    }
    std::sort(out.begin(), out.end(), [&](auto const& a, auto const& b) {
        double const x = sum_of_sizes(plan, a), y = sum_of_sizes(plan, b);
        return x != y ? x < y : a < b;
    });
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

ATTUNE_INLINE property_collector::property_collector(std::vector<shape_word> layout,
                                                     std::vector<std::int64_t> divisors,
                                                     std::uint32_t modulus)
    : properties_(std::move(layout), std::move(divisors), modulus)
{
}

ATTUNE_INLINE void property_collector::add(std::span<std::int64_t const> key)
{
    proven_properties one{properties_.of(key), {key.begin(), key.end()}};
    properties_.for_each_product(key, [&](std::size_t place, double product) {
        one.products.resize(key.size() * key.size());
        one.products[place] = product;
    });
    add(one);
}

ATTUNE_INLINE void property_collector::add(proven_properties const& more)
{
    all_.insert(more.all.begin(), more.all.end());
    if (largest_.empty()) largest_ = more.largest;
    for (std::size_t i = 0; i < more.largest.size(); ++i)
        largest_[i] = std::max(largest_[i], more.largest[i]);
    products_.resize(std::max(products_.size(), more.products.size()));
    for (std::size_t i = 0; i < more.products.size(); ++i)
        products_[i] = std::max(products_[i], more.products[i]);
}

ATTUNE_INLINE proven_properties property_collector::take() const
{
    return {{all_.begin(), all_.end()}, largest_, products_};
}

ATTUNE_INLINE bool is_covered(proven_properties const& by, shape_properties const& counted,
                              std::span<std::int64_t const> key)
{
    std::vector<shape_word> const& layout = counted.layout();
    if (key.size() != layout.size() || by.largest.size() != layout.size()) return false;
    for (std::size_t i = 0; i < key.size(); ++i)
        if (is_size(layout[i].part) && key[i] > by.largest[i]) return false;
    bool is_within = true;
    counted.for_each_product(key, [&](std::size_t place, double product) {
        is_within = is_within && place < by.products.size() && product <= by.products[place];
    });
    if (!is_within) return false;
    std::vector<std::uint64_t> const all = counted.of(key);
    return std::all_of(all.begin(), all.end(), [&](std::uint64_t property) {
        return std::binary_search(by.all.begin(), by.all.end(), property);
    });
}

/// Reads the words of a line one by one.
class checked_line {
public:
    checked_line(std::string_view line, std::string const& path)
        : rest_(line)
        , path_(path)
    {
    }
    [[nodiscard]] bool is_empty() const noexcept { return rest_.empty(); }
    [[nodiscard]] std::string_view word()
    {
        std::string_view const out = rest_.substr(0, rest_.find(' '));
        rest_.remove_prefix(std::min(out.size() + 1, rest_.size()));
        return out;
    }
    [[nodiscard]] std::string rest() const { return std::string(rest_); }
    [[nodiscard]] std::int64_t number()
    {
        auto const out = parse_number<std::int64_t>(word());
        if (!out) refuse();
        return *out;
    }
    [[noreturn]] void refuse() const
    {
        throw error("the results of the build's verification cannot be read", path_,
                    "remove this file and build again");
    }

private:
    std::string_view rest_;
    std::string const& path_;
};

ATTUNE_INLINE checked_builds checked_builds_in(std::string_view text, std::string const& path,
                                               std::string const& mark)
{
    checked_builds out;
    bool has_begun = false;
    while (!text.empty()) {
        std::string_view const all = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(all.size() + 1, text.size()));
        checked_line line(all, path);
        std::string_view const kind = line.word();
        if (!has_begun) {
            if (kind != "attune_checked") line.refuse();
            if (line.word() != mark)
                throw error("the build verified other variants than those that are baked", path,
                            "remove this file and build again");
            has_begun = true;
        } else if (kind == "said") {
            out.said.push_back(line.rest());
        } else if (kind == "right" || kind == "wrong") {
            auto const variant = static_cast<std::size_t>(line.number());
            std::string const level(line.word());
            auto at = std::find_if(out.all.begin(), out.all.end(), [&](checked_build const& b) {
                return b.variant == variant && b.level == level;
            });
            if (at == out.all.end())
                at = out.all.insert(at, checked_build{.variant = variant, .level = level});
            if (kind == "wrong") {
                at->wrong = line.rest();
                continue;
            }
            at->right.emplace_back();
            while (!line.is_empty())
                at->right.back().push_back(line.number());
        } else {
            line.refuse();
        }
    }
    if (!has_begun) checked_line("", path).refuse();
    return out;
}

ATTUNE_INLINE int architecture_in(std::string_view level)
{
    int out = 0;
    if (!level.starts_with("sm_")) return out;
    std::from_chars(level.data() + 3, level.data() + level.size(), out);
    return out;
}

ATTUNE_INLINE void add_all_builds(bake_plan& plan, std::vector<std::string> const& levels)
{
    for (planned_variant& one : plan.variants)
        for (auto level = levels.rbegin(); level != levels.rend(); ++level)
            one.builds.push_back({.level = *level});
}

/// Returns true if the store's proof of machine code holds for this level: the code is for these
/// instructions or for more. For CUDA, the code is for this architecture or for a later one; for
/// OpenCL, it ran on a device of this name.
[[nodiscard]] inline bool stands_for(planned_variant const& one, std::string const& level)
{
    if (level.starts_with("OpenCL ")) return one.recorded_devices.count(level) > 0;
    if (int const architecture = architecture_in(level); architecture != 0)
        return architecture <= one.recorded_architecture;
    instruction_level const code = instruction_level_in(level);
    return code == instruction_level::base ||
           std::any_of(one.recorded_levels.begin(), one.recorded_levels.end(),
                       [&](instruction_level const recorded) { return runs(recorded, code); });
}

/// Returns true if a predicted winner is used without a proof, for a device of this level.
[[nodiscard]] inline bool is_predicted_for(planned_variant const& one, std::string const& level)
{
    int const architecture = architecture_in(level);
    return std::any_of(one.predicted_for.begin(), one.predicted_for.end(),
                       [&](int const predicted) {
                           return predicted / 10 == architecture / 10 && architecture <= predicted;
                       });
}

/// "base, x86-64-v3": members of `all` that are also in `which`.
[[nodiscard]] inline std::string listed(std::vector<std::string> const& all,
                                        std::set<std::string> const& which)
{
    std::string out;
    for (std::string const& level : all)
        if (which.count(level) > 0) out += (out.empty() ? "" : ", ") + level;
    return out;
}

ATTUNE_INLINE void add_proven_builds(bake_plan& plan, std::vector<std::string> const& levels,
                                     checked_builds const& checked, bool is_unverified)
{
    std::set<std::string> unproven;
    std::size_t most_checked = 0;
    for (std::size_t v = 0; v < plan.variants.size(); ++v) {
        planned_variant& one = plan.variants[v];
        std::string wrong;
        for (checked_build const& build : checked.all)
            if (build.variant == v && !build.wrong.empty() && wrong.empty())
                wrong = build.level + ": " + build.wrong;
        if (!wrong.empty()) {
            plan.notices.push_back(one.text() + " does not serve: this build found it wrong, for " +
                                   wrong);
            continue;
        }
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
            planned_build build{.level = *level};
            property_collector proven(plan.facts.layout, one.divisors, one.address_modulus);
            bool const is_recorded =
                stands_for(one, *level) && !(plan.is_for_device() && one.recorded.largest.empty());
            if (is_recorded) proven.add(one.recorded);
            for (checked_build const& by : checked.all)
                if (by.variant == v && by.level == *level)
                    for (std::vector<std::int64_t> const& shape : by.right) {
                        if (shape.size() != plan.facts.layout.size()) continue;
                        proven.add(shape);
                        ++build.checked;
                    }
            if (!is_recorded && build.checked == 0) {
                if (is_unverified && is_predicted_for(one, *level)) {
                    build.proof = baked_proof::prediction;
                    one.builds.push_back(std::move(build));
                } else {
                    unproven.insert(*level);
                }
                continue;
            }
            build.proof = build.checked == 0 ? baked_proof::record
                          : is_recorded      ? baked_proof::both
                                             : baked_proof::build;
            build.proven = proven.take();
            most_checked = std::max(most_checked, build.checked);
            one.builds.push_back(std::move(build));
        }
    }
    if (!unproven.empty() && plan.is_for_device())
        plan.notices.push_back(plan.kernel + ": code for " + listed(levels, unproven) +
                               " does not serve where it was never run: it was proven on no such "
                               "device, or a later one; tune it there, or run it there with "
                               "miss_policy::lookup_only");
    else if (!unproven.empty())
        plan.notices.push_back(
            plan.kernel + ": code for " + listed(levels, unproven) +
            " does not serve where it was never run: it was tuned without these instructions; "
            "attune_bake(... SHAPES KNOWN) verifies it where the build has them");
    if (most_checked > 0)
        plan.notices.push_back(plan.kernel + ": this build verified its code for up to " +
                               std::to_string(most_checked) + " shapes");
    for (std::string const& said : checked.said)
        plan.notices.push_back(plan.kernel + ": " + said);
}

} // namespace attune::inline ATTUNE_ABI::detail
