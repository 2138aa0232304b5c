// attune/remember/problem/problem.ipp - distances between problems, their names, and claims: a byte of the lock file each.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/hash.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/remember/problem/problem.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::string value_or_none(named_texts const& texts, std::string const& name)
{
    std::string const* const found = value_of(texts, name);
    return found == nullptr ? std::string() : *found;
}

/// Adds the distance of inputs, and a sentence about them.
inline void add_inputs(problem_relation& out, record_key const& have, record_key const& want)
{
    std::string had, wanted;
    for (auto const& [name, value] : want.inputs) {
        std::string const* const other = value_of(have.inputs, name);
        if (other != nullptr && *other == value) continue;
        auto const a = other == nullptr ? std::nullopt : number_of(*other);
        auto const b = number_of(value);
        out.distance += a && b ? ratio_distance(*a, *b) : 1.0;
        had += (had.empty() ? "" : " ") + name + '=' + (other == nullptr ? "unknown" : *other);
        wanted += (wanted.empty() ? "" : " ") + name + '=' + value;
    }
    for (auto const& [name, value] : have.inputs)
        if (value_of(want.inputs, name) == nullptr) {
            out.distance += 1.0;
            had += (had.empty() ? "" : " ") + name + '=' + value;
        }
    if (had.empty()) return;
    out.how = problem_difference::size;
    out.why += "for " + had + (wanted.empty() ? "" : ", not " + wanted);
}

inline void add_device(problem_relation& out, stored_problem const& have,
                       stored_problem const& want)
{
    if (have.key.device == want.key.device) return;
    auto const same = [&](char const* fact) {
        std::string const a = value_or_none(have.facts, fact);
        return !a.empty() && a == value_or_none(want.facts, fact);
    };
    out.distance += !same("isa") ? 3.0 : same("vendor") ? 1.0 : 2.0;
    auto const cores = [](stored_problem const& p) {
        return number_of(value_or_none(p.facts, "cores")).value_or(1.0);
    };
    if (value_of(want.key.setting, "threads") != nullptr && cores(have) >= 1 && cores(want) >= 1)
        out.distance += std::fabs(std::log(cores(have) / cores(want)));
    out.how = problem_difference::device;
    out.why += (out.why.empty() ? "on " : ", on ") + have.key.device;
}

/// Number of names, or of their values, that only one of both has.
[[nodiscard]] inline std::size_t differences(named_texts const& a, named_texts const& b)
{
    std::size_t out = 0;
    for (auto const& [name, value] : a) {
        std::string const* const other = value_of(b, name);
        if (other == nullptr || *other != value) ++out;
    }
    for (auto const& [name, value] : b)
        if (value_of(a, name) == nullptr) ++out;
    return out;
}

[[nodiscard]] inline std::size_t differences(std::vector<std::string> const& a,
                                             std::vector<std::string> const& b)
{
    auto const missing = [](auto const& of, auto const& in) {
        return static_cast<std::size_t>(std::count_if(of.begin(), of.end(), [&](auto const& one) {
            return std::find(in.begin(), in.end(), one) == in.end();
        }));
    };
    return missing(a, b) + missing(b, a);
}

ATTUNE_INLINE problem_relation relate(stored_problem const& have, stored_problem const& want)
{
    problem_relation out;
    std::string code;
    if (have.key.source != want.key.source) {
        out.distance += 0.25;
        code = "another version of the source";
    }
    if (have.key.compiler != want.key.compiler) {
        out.distance += 0.1;
        code += (code.empty() ? "" : ", ") + have.key.compiler;
    }
    if (!code.empty()) out.how = problem_difference::code;
    std::size_t const settings = differences(have.key.setting, want.key.setting);
    std::size_t const parameters = differences(have.parameters, want.parameters);
    bool const same_signature = may_be_same(have.key.signature, want.key.signature);
    out.distance += 0.5 * static_cast<double>(settings + parameters) + (same_signature ? 0.0 : 1.0);
    if (settings + parameters > 0 || !same_signature) {
        out.how = problem_difference::setting;
        code += code.empty() ? "" : ", ";
        code += settings > 0 ? "timed in another way" : "other parameters or arguments";
    }
    add_inputs(out, have.key, want.key);
    add_device(out, have, want);
    if (!code.empty()) out.why += (out.why.empty() ? "" : ", ") + code;
    return out;
}

inline void add_sorted(content_hash& hash, named_texts texts)
{
    std::sort(texts.begin(), texts.end());
    for (auto const& [name, value] : texts)
        hash.add(name).add(value);
    hash.add(std::to_string(texts.size()));
}

ATTUNE_INLINE std::string identity_of(record_key const& key)
{
    content_hash hash;
    hash.add(key.kernel).add(key.source).add(key.compiler).add(key.device);
    add_sorted(hash, key.inputs);
    add_sorted(hash, key.setting);
    return hash.hex().substr(0, 16);
}

ATTUNE_INLINE std::string id_of(stored_problem const& problem)
{
    content_hash rest;
    rest.add(problem.key.signature);
    for (std::string const& name : problem.parameters)
        rest.add(name);
    return identity_of(problem.key) + '-' + rest.hex().substr(0, 8);
}

ATTUNE_INLINE stored_problem problem_of(record const& r)
{
    stored_problem out{.key = r.key};
    out.key.schema.clear();
    for (auto const& [name, value] : r.configuration)
        out.parameters.push_back(name);
    return out;
}

ATTUNE_INLINE
problem_claim::problem_claim(std::string const& path, std::string const& identity, double wait_s)
{
    // A folder at the end of another user's link gets no locks. range_lock reports all other
    // errors.
    if (create_folders_of(path, 0755) == EACCES) return;
    std::uint64_t place = 0;
    for (char const c : identity.substr(0, 15))
        place = place << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    lock_ = range_lock::take(path, {place}, wait_s);
}

} // namespace attune::inline ATTUNE_ABI::detail
