// attune/ship/bake/build_proofs.ipp - joins what the store proves with what a build verified.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/shape/shape_properties.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/bake/build_proofs.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE property_collector::property_collector(std::vector<shape_word> layout,
                                                     std::vector<std::int64_t> divisors,
                                                     std::uint32_t modulus)
    : properties_(std::move(layout), std::move(divisors), modulus)
{
}

ATTUNE_INLINE void property_collector::add(std::span<std::int64_t const> key)
{
    add({properties_.of(key), {key.begin(), key.end()}});
}

ATTUNE_INLINE void property_collector::add(proven_properties const& more)
{
    all_.insert(more.all.begin(), more.all.end());
    if (largest_.empty()) largest_ = more.largest;
    for (std::size_t i = 0; i < more.largest.size(); ++i)
        largest_[i] = std::max(largest_[i], more.largest[i]);
}

ATTUNE_INLINE proven_properties property_collector::take() const
{
    return {{all_.begin(), all_.end()}, largest_};
}

ATTUNE_INLINE bool is_covered(proven_properties const& by, shape_properties const& counted,
                              std::span<std::int64_t const> key)
{
    std::vector<shape_word> const& layout = counted.layout();
    if (key.size() != layout.size() || by.largest.size() != layout.size()) return false;
    for (std::size_t i = 0; i < key.size(); ++i)
        if (is_size(layout[i].part) && key[i] > by.largest[i]) return false;
    std::vector<std::uint64_t> const all = counted.of(key);
    return std::all_of(all.begin(), all.end(), [&](std::uint64_t property) {
        return std::binary_search(by.all.begin(), by.all.end(), property);
    });
}

/// Takes the words of a line one by one.
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
        std::string_view const text = word();
        std::int64_t out = 0;
        auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
        if (text.empty() || problem != std::errc{} || end != text.data() + text.size()) refuse();
        return out;
    }
    [[noreturn]] void refuse() const
    {
        throw error("what the build verified cannot be read", path_, "remove it and build again");
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
                throw error("other variants were verified than those that are baked", path,
                            "remove it and build again");
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

/// Whether the machine code that the store proves stands for code for this level: it is for these
/// instructions or for more. Of a device, for this architecture or for a later one.
[[nodiscard]] inline bool stands_for(planned_variant const& one, std::string const& level)
{
    if (int const architecture = architecture_in(level); architecture != 0)
        return architecture <= one.recorded_architecture;
    auto const at =
        std::find(instruction_level_names.begin(), instruction_level_names.end(), level);
    return static_cast<instruction_level>(at - instruction_level_names.begin()) <=
           one.recorded_up_to;
}

/// Whether a winner that was predicted serves without a proof, for a device of this level.
[[nodiscard]] inline bool is_predicted_for(planned_variant const& one, std::string const& level)
{
    int const architecture = architecture_in(level);
    return std::any_of(one.predicted_for.begin(), one.predicted_for.end(),
                       [&](int const predicted) {
                           return predicted / 10 == architecture / 10 && architecture <= predicted;
                       });
}

/// "base, x86-64-v3": those of `all` that are among `which`.
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
                stands_for(one, *level) && !(plan.is_for_device && one.recorded.largest.empty());
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
    if (!unproven.empty() && plan.is_for_device)
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
