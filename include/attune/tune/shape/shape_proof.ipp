// attune/tune/shape/shape_proof.ipp - shares the progress and results of a child.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/measure/sandbox/shared_with_child.hpp>
#include <attune/tune/shape/shape_check.hpp>
#include <attune/tune/shape/shape_proof.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <random>

namespace attune::inline ATTUNE_ABI::detail {

/// Shared with the child. A variant may overwrite it, so a call is right only if its mark has the
/// expected value, which random writes match with probability 2^-64.
struct proof_progress {
    static constexpr std::size_t most_calls = 1024;

    std::atomic<std::size_t> at{0}; ///< the current call; of a child that returned, the next one
    std::atomic<double> begun_s{0}; ///< start of the current call
    std::array<std::atomic<std::uint64_t>, most_calls> marks{};
};

[[nodiscard]] inline std::uint64_t proof_mark(std::uint64_t secret, std::size_t call)
{
    std::uint64_t out = (secret ^ (call + 1)) * 0xbf58476d1ce4e5b9u;
    out ^= out >> 31;
    return (out * 0x94d049bb133111ebu) | 1u;
}

inline constexpr double proof_call_limit_s = 0.25;
inline constexpr int most_proof_children = 16;

ATTUNE_INLINE shape_proof prove_shapes(kernel_description const& kernel, std::size_t count,
                                       std::function<call_frame(std::size_t)> const& frame_at,
                                       callable const& trusted, callable const& tried,
                                       double limit_s, isolation protect)
{
    system_clocks const clocks;
    double const begun_s = clocks.wall_s();
    count = std::min(count, proof_progress::most_calls);
    shape_proof out;
    out.is_right.resize(count);
    try {
        if (choose_isolation(protect, observe_process()).how != isolation::fork) return out;
        shared_with_child<proof_progress> const shared;
        proof_progress& progress = shared.get();
        std::uint64_t const secret =
            (std::uint64_t{std::random_device{}()} << 32) ^ std::random_device{}();
        std::size_t from = 0;
        for (int child = 0; child < most_proof_children && from < count; ++child) {
            double const left_s = limit_s - (clocks.wall_s() - begun_s);
            if (left_s <= 0) break;
            auto const run = [&] {
                for (std::size_t i = from; i < count; ++i) {
                    progress.begun_s.store(clocks.wall_s());
                    progress.at.store(i);
                    if (clocks.wall_s() - begun_s > limit_s) break;
                    call_frame const frame = frame_at(i);
                    shape_verdict const verdict = verify_shape(
                        kernel, frame, trusted, tried,
                        {.check_s = proof_call_limit_s, .is_one_of_many = true}, isolation::guard);
                    bool const is_right =
                        verdict.how == shape_verdict::ending::right && !verdict.is_slower;
                    if (is_right) progress.marks[i].store(proof_mark(secret, i));
                    progress.at.store(i + 1);
                    // A crash may have damaged this child's memory.
                    if (verdict.how == shape_verdict::ending::wrong &&
                        verdict.why.stage != failure_stage::verify)
                        break;
                }
            };
            child_limits limits;
            limits.run_s = left_s + proof_call_limit_s;
            limits.run_until_s = [&] {
                double const since_s = progress.begun_s.load();
                return since_s > 0 ? since_s + 2 * proof_call_limit_s : 1e18;
            };
            progress.begun_s.store(clocks.wall_s());
            child_end const end = run_in_child(run, {}, limits);
            std::size_t const at = std::max(progress.at.load(), from);
            from = end.ending == child_ending::returned ? at : at + 1;
            if (end.ending == child_ending::returned && clocks.wall_s() - begun_s > limit_s) break;
        }
        for (std::size_t i = 0; i < count; ++i)
            out.is_right[i] = progress.marks[i].load() == proof_mark(secret, i);
    } catch (std::exception const&) {
        // No memory or no child: nothing is proven.
    }
    out.elapsed_s = clocks.wall_s() - begun_s;
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
