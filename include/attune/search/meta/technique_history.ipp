// attune/search/meta/technique_history.ipp - sums, affinities, lines.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/meta/technique_history.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// The place of a technique in uses that ascend by name.
template <class Uses>
[[nodiscard]] auto place_of(Uses& uses, std::string_view name)
{
    return std::lower_bound(uses.begin(), uses.end(), name, [](auto const& use, auto sought) {
        return use.name < sought;
    });
}

[[nodiscard]] inline std::string as_field(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        if (c == '\t' || c == '\n' || c == '\r') c = ' ';
    return out;
}

} // namespace detail

ATTUNE_INLINE std::optional<double> search_affinity(technique_use const& use)
{
    if (use.requests == 0) return {};
    return static_cast<double>(use.new_bests) / static_cast<double>(use.requests);
}

ATTUNE_INLINE std::optional<double> affinity_correlation(std::span<technique_use const> a,
                                                         std::span<technique_use const> b)
{
    std::vector<std::pair<double, double>> known;
    for (technique_use const& of_a : a)
        for (technique_use const& of_b : b) {
            if (of_a.name != of_b.name) continue;
            auto const x = search_affinity(of_a);
            auto const y = search_affinity(of_b);
            if (x && y) known.emplace_back(*x, *y);
        }
    if (known.size() < 2) return {};
    double mean_x = 0;
    double mean_y = 0;
    for (auto const& [x, y] : known) {
        mean_x += x / static_cast<double>(known.size());
        mean_y += y / static_cast<double>(known.size());
    }
    double xx = 0;
    double yy = 0;
    double xy = 0;
    for (auto const& [x, y] : known) {
        xx += (x - mean_x) * (x - mean_x);
        yy += (y - mean_y) * (y - mean_y);
        xy += (x - mean_x) * (y - mean_y);
    }
    // Equal affinities differ from their mean by rounding alone.
    double const noise = 1e-24 * static_cast<double>(known.size());
    if (xx <= noise || yy <= noise) return {};
    return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

ATTUNE_INLINE void technique_history::add(representation const& searched)
{
    std::string const text = structure_text(searched.structure);
    auto const at = std::lower_bound(representations_.begin(),
                                     representations_.end(),
                                     searched.label,
                                     [&](representation const& r, std::string_view label) {
                                         return r.label != label
                                                    ? r.label < label
                                                    : structure_text(r.structure) < text;
                                     });
    bool const is_known = at != representations_.end() && at->label == searched.label &&
                          at->structure == searched.structure;
    representation& of =
        is_known ? *at
                 : *representations_.insert(
                       at, {.label = searched.label, .structure = searched.structure, .runs = 0});
    of.runs += searched.runs;
    for (technique_use const& use : searched.uses) {
        if (use.requests == 0) continue;
        auto const place = detail::place_of(of.uses, use.name);
        if (place == of.uses.end() || place->name != use.name) {
            of.uses.insert(place, use);
        } else {
            place->requests += use.requests;
            place->new_bests += use.new_bests;
        }
    }
}

ATTUNE_INLINE bool technique_history::add_line(std::string_view line)
{
    constexpr std::size_t most_name = 65'536; // bytes; names are parsed and made to searches
    std::vector<std::string_view> fields;
    for (std::string_view rest = line;;) {
        fields.push_back(rest.substr(0, rest.find('\t')));
        if (fields.back().size() == rest.size()) break;
        rest.remove_prefix(fields.back().size() + 1);
    }
    if (fields.size() < 3 || fields.size() % 3 != 0) return false;
    std::optional<space_structure> const structure = read_structure(fields[1]);
    auto const runs = detail::whole_number<std::size_t>(fields[2]);
    if (!structure || !runs) return false;
    representation searched{
        .label = std::string(fields[0]), .structure = *structure, .runs = *runs};
    for (std::size_t i = 3; i < fields.size(); i += 3) {
        auto const requests = detail::whole_number<std::size_t>(fields[i + 1]);
        auto const bests = detail::whole_number<std::size_t>(fields[i + 2]);
        if (!requests || !bests || *bests > *requests) return false;
        if (fields[i].size() > most_name) return false;
        searched.uses.push_back({std::string(fields[i]), *requests, *bests});
    }
    add(searched);
    return true;
}

ATTUNE_INLINE technique_history technique_history::without(std::string_view label) const
{
    technique_history out;
    for (representation const& r : representations_)
        if (r.label != label) out.representations_.push_back(r);
    return out;
}

ATTUNE_INLINE std::string history_line(representation const& searched)
{
    std::string out = detail::as_field(searched.label) + '\t' + structure_text(searched.structure) +
                      '\t' + std::to_string(searched.runs);
    for (technique_use const& use : searched.uses) {
        if (use.requests == 0) continue;
        out += '\t' + detail::as_field(use.name) + '\t' + std::to_string(use.requests) + '\t' +
               std::to_string(use.new_bests);
    }
    return out;
}
ATTUNE_INLINE std::string history_text(technique_history const& past)
{
    std::string out;
    for (representation const& r : past.representations())
        out += history_line(r) + '\n';
    return out;
}
ATTUNE_INLINE technique_history read_history(std::string_view text)
{
    technique_history out;
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view const line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : line.size());
        out.add_line(line);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::search
