// attune/remember/problem/problem.hpp - a problem of a store: its contents, its relation to another, its claim.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/posix/range_lock.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/call_coverage.hpp>
#include <attune/remember/record.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A tuning problem as a store keeps it.
struct stored_problem {
    record_key key{}; ///< its schema is empty: an added value keeps old results
    std::vector<std::string> parameters{};
    /// Facts of the device, for the distance: "isa", "vendor", "cores"; of calls: call_facts.hpp
    named_texts facts{};

    [[nodiscard]] friend bool operator==(stored_problem const&, stored_problem const&) = default;
};

/// The difference between two problems of a kernel; of several differences the last enumerator.
enum class problem_difference : std::uint8_t {
    none,    ///< times are comparable
    code,    ///< source or compiler: comparable if the object code is the same
    setting, ///< way of timing, or the function's arguments
    size,    ///< inputs
    device,
};

struct problem_relation {
    problem_difference how = problem_difference::none;
    /// 0 for `none`. Otherwise a sum. Inputs: |log ratio|; 1 for another text or a missing input.
    /// Code: .1 for another compiler, .25 for another source. Settings: .5 for each different one,
    /// and for each parameter that only one problem has. Device: 1, 2 or 3 for another model of the
    /// same kind, another vendor, another instruction set; |log ratio of cores| if calls use
    /// several threads.
    double distance{};
    std::string why{}; ///< "for N=512, not N=1024, on another processor (X)"; empty for `none`
};

/// Compares two problems of one kernel.
/// Cost  O(n^2) for n parameters; 1 us
[[nodiscard]] problem_relation relate(stored_problem const& have, stored_problem const& want);

/// 16 hexadecimal digits of all that makes times comparable: kernel, source, compiler, device,
/// inputs and setting. The order of inputs does not matter.
[[nodiscard]] std::string identity_of(record_key const& key);

/// The identity, "-", and 8 digits of the signature and the names of the parameters: the name of a
/// problem in a store.
[[nodiscard]] std::string id_of(stored_problem const& problem);

/// The problem of a record: its key without the schema, and the names of its configuration.
[[nodiscard]] stored_problem problem_of(record const& r);

/// An evaluated configuration.
struct tried_row {
    value_texts values{}; ///< one per parameter of the problem
    outcome result{};     ///< seconds per call, or the reason for a failure
    std::string code{};   ///< object key of its code; empty: none, or unknown
    /// Seconds that the search's model expected at the choice; 0: no model, or unknown.
    double predicted_s = 0;
    /// Places in `values`, ascending, of inactive parameters: the value has no effect.
    std::vector<std::uint32_t> inactive{};
    std::string proposer{}; ///< technique of the search that proposed it; empty: none, or unknown
};

/// A shape of a call for which a variant was verified.
struct proven_shape {
    std::string code{};                ///< object key of the variant
    std::vector<std::int64_t> shape{}; ///< the words of the shape, as tune/ writes them
    bool is_right = true;              ///< false: the variant's result was wrong

    [[nodiscard]] friend bool operator==(proven_shape const&, proven_shape const&) = default;
};

/// The contents of a store about a problem.
struct problem_history {
    stored_problem problem{};
    std::vector<tried_row> rows{}; ///< oldest first
    /// rows[open] and later ones belong to a tuning that was killed or still runs.
    std::size_t open = 0;
    std::optional<record> best{}; ///< of any schema: see `key.schema`

    /// Returns true if a tuning was killed, or still runs.
    [[nodiscard]] bool is_open() const noexcept { return open < rows.size(); }
};

/// The calls of a problem in a program that ends.
struct problem_calls {
    stored_problem problem{};
    past_calls calls{};
};

/// A problem similar to the requested one.
struct related_problem {
    problem_history past{};
    problem_relation how{};
    bool is_believed = true; ///< false: another user could have written it
};

/// The right to tune a problem, among all users of a store. The operating system releases it at any
/// end of its process. Movable.
///
/// - `mine`: tune, if the store, read again, still has no answer.
/// - `busy`: another process or object tunes it: serve the present answer, or wait.
/// - `unavailable`: the store has no locks, so no claim is possible: tune.
class problem_claim {
public:
    /// The claim for a store that no other process uses.
    problem_claim() = default;

    /// @param path      file for the locks; it and its folders are created if they are missing
    /// @param identity  identity_of(key)
    /// @param wait_s    longest wait for the holder
    problem_claim(std::string const& path, std::string const& identity, double wait_s);

    [[nodiscard]] lock_state state() const noexcept { return lock_.state(); }
    /// Returns false if another process or object tunes the problem now.
    [[nodiscard]] bool may_tune() const noexcept { return state() != lock_state::busy; }
    void release() noexcept { lock_.release(); }

private:
    range_lock lock_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/problem/problem.ipp>
#endif
