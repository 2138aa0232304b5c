// attune/tune/shape/variant_proof.ipp - settles relations on the default, then proves in rounds.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/shape/call_draw.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/tune/shape/drawn_calls.hpp>
#include <attune/tune/shape/shape_proof.hpp>
#include <attune/tune/shape/size_relations.hpp>
#include <attune/tune/shape/sized_arrays.hpp>
#include <attune/tune/shape/variant_proof.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// One proof under way.
class proving {
public:
    proving(proof_subject const& of, std::span<std::int64_t const> key, call_frame const& frame,
            double limit_s)
        : of_(of)
        , key_(key)
        , frame_(frame)
        , limit_s_(limit_s)
        , begun_s_(clocks_.wall_s())
        , relations_(relations_of(of.layout, key, of.choice, of.kernel.lengths))
    {
        for (size_relations::dependent& one : relations_.words)
            if (is_length(one) && frame.arguments[of.layout[one.word].argument].has_fixed_length)
                one = {one.word, {}, false};
        for (size_relations::dependent const& one : relations_.words)
            is_settled_.push_back(!is_length(one) || one.may_be.empty());
    }
    [[nodiscard]] bool has_sizes() const
    {
        return relations_.can_change() && !relations_.words.front().may_be.empty();
    }

    /// Leaves of each length the formula with which the default works.
    void settle_relations()
    {
        if (is_length(relations_.words.front())) return; // the common length: nothing to choose
        // Where a length is none of its formulas, the trials of the others fail, too: those are
        // made again while it stays as it is.
        std::vector<size_relations::dependent> const all = relations_.words;
        try_formulas(all);
        if (std::count(is_settled_.begin(), is_settled_.end(), false) > 1) try_formulas(all);
    }

    /// Rounds of calls, until one shows little that is new.
    void prove(shape_trust trust, variant_proof& out)
    {
        constexpr std::size_t most_calls = 1'000;
        constexpr int most_rounds = 4;
        call_draws draws(drawn(), hash_of_shape(key_));
        for (int round = 0; round < most_rounds && left_s() > 0; ++round) {
            shape_trust expected = trust;
            std::vector<drawn_call> calls =
                draws.chosen(expected, most_calls, [this] { return left_s() < limit_s_ / 2; });
            if (calls.empty()) return;
            sort_stably(calls, [](auto const& a, auto const& b) { return a.work < b.work; });
            std::vector<bool> const is_right = run(calls, of_.tried, left_s());
            std::size_t right = 0;
            for (std::size_t i = 0; i < calls.size(); ++i) {
                if (take(trust, std::move(calls[i].key), is_right[i], out)) ++right;
            }
            if (right == calls.size() || right * 16 < calls.size()) return;
        }
    }

    /// The same with calls that the user's function makes.
    void prove_by_user(shape_trust trust, variant_proof& out)
    {
        constexpr int most_rounds = 4;
        for (int round = 0; round < most_rounds && left_s() > 0; ++round) {
            std::vector<made_call> calls = made_by_user(trust, round);
            if (calls.empty()) return;
            sized_arrays memory;
            std::vector<bool> const is_right =
                prove_shapes(
                    of_.kernel, calls.size(),
                    [&](std::size_t i) { return again(calls[i], memory); }, of_.trusted, of_.tried,
                    left_s(), of_.protect)
                    .is_right;
            bool all_right = true;
            for (std::size_t i = 0; i < calls.size(); ++i) {
                all_right = take(trust, std::move(calls[i].key), is_right[i], out) && all_right;
            }
            if (all_right) return;
        }
    }

private:
    /// A call that equal seeds make again.
    struct made_call {
        std::uint64_t seed = 0;
        std::vector<std::int64_t> key{};
        std::size_t bytes = 0;
    };
    [[nodiscard]] keyed_call make(std::uint64_t seed) const
    {
        call_draw draw(seed, of_.divisors);
        return of_.kernel.calls(draw, of_.keys, of_.kernel.tolerances);
    }
    /// The call, with its arrays where its shape says.
    /// Errors   attune::error: equal draws made another call
    [[nodiscard]] call_frame again(made_call const& one, sized_arrays& memory)
    {
        keyed_call call = make(one.seed);
        drawn_call where;
        where.sizes.assign(call.frame.arguments.size(), drawn_call::unchanged);
        std::size_t array = 0;
        std::size_t const arrays = call.frame.buffers.size();
        for (std::size_t i = 0; i < of_.layout.size(); ++i) {
            if (of_.layout[i].part != shape_part::places) {
                if (call.shape[i] != one.key[i])
                    throw error("kernel.calls(f): equal draws made two calls",
                                "kernel " + of_.kernel.name, "let f use nothing but its argument");
                continue;
            }
            for (std::size_t k = 0; k < of_.layout[i].argument && array < arrays; ++k, ++array)
                where.places.push_back((one.key[i] >> (place_bits::per_array * k)) & 63);
        }
        held_ = call.frame; // the made arrays live with it
        return memory.make(call.frame, where);
    }
    /// Those that are new to `trust`, short ones first.
    [[nodiscard]] std::vector<made_call> made_by_user(shape_trust trust, int round) const
    {
        constexpr std::size_t most_calls = 1'000;
        constexpr int most_draws = 4'000;
        std::vector<made_call> out;
        double const until_s = left_s() / 2;
        for (int i = 0; i < most_draws && out.size() < most_calls && left_s() > until_s; ++i) {
            auto const seed = static_cast<std::uint64_t>(most_draws * round + i);
            keyed_call call = make(seed);
            // At the addresses of the tuned call: a short call would prove others, see call_draws.
            for (std::size_t word = 0; word < of_.layout.size(); ++word)
                if (of_.layout[word].part == shape_part::places) call.shape[word] = key_[word];
            if (call.frame.writes_nothing() || trust.covers(call.shape)) continue;
            trust.add(call.shape);
            std::size_t bytes = 0;
            for (buffer const& b : call.frame.buffers)
                bytes += b.bytes;
            out.push_back({seed, std::move(call.shape), bytes});
        }
        sort_stably(out, [](made_call const& a, made_call const& b) { return a.bytes < b.bytes; });
        return out;
    }
    /// What one call showed. @return  whether it was right
    static bool take(shape_trust& trust, std::vector<std::int64_t> key, bool is_right,
                     variant_proof& out)
    {
        if (is_right)
            trust.add(key);
        else
            trust.except(key);
        (is_right ? out.right : out.open).push_back(std::move(key));
        return is_right;
    }
    [[nodiscard]] bool is_length(size_relations::dependent const& one) const
    {
        return of_.layout[one.word].part == shape_part::elements;
    }
    [[nodiscard]] double left_s() const { return limit_s_ - (clocks_.wall_s() - begun_s_); }
    [[nodiscard]] drawn_from drawn() const
    {
        return {of_.layout, key_,         frame_,      of_.choice,
                relations_, of_.divisors, of_.modulus, &of_.kernel.lengths};
    }
    [[nodiscard]] std::vector<bool> run(std::vector<drawn_call> const& calls, callable const& tried,
                                        double limit_s)
    {
        sized_arrays memory;
        std::vector<bool> out = prove_shapes(
                                    of_.kernel, calls.size(),
                                    [&](std::size_t i) { return memory.make(frame_, calls[i]); },
                                    of_.trusted, tried, limit_s, of_.protect)
                                    .is_right;
        out.resize(calls.size()); // beyond its limit nothing is known
        return out;
    }
    /// Tries all formulas of the lengths that have no single one yet. A length for which none holds
    /// has none afterwards.
    /// @param open  all words with their formulas
    void try_formulas(std::vector<size_relations::dependent> const& open)
    {
        struct tried_formula {
            std::size_t word;
            std::size_t formula;
            std::size_t first; ///< of its calls
        };
        std::vector<tried_formula> all;
        std::vector<drawn_call> calls;
        call_draws const draws(drawn(), hash_of_shape(key_));
        for (std::size_t i = 0; i < open.size(); ++i) {
            bool const is_settled = is_settled_[i] || !is_length(open[i]);
            for (std::size_t f = 0; !is_settled && f < open[i].may_be.size(); ++f) {
                all.push_back({i, f, calls.size()});
                std::vector<drawn_call> its = draws.trials_of(open[i].word, open[i].may_be[f]);
                calls.insert(calls.end(), its.begin(), its.end());
            }
        }
        std::vector<bool> const is_right =
            run(calls, of_.trusted, std::min(limit_s_ / 4, left_s()));
        for (std::size_t i = 0; i < open.size(); ++i)
            if (is_length(open[i]) && !is_settled_[i]) relations_.words[i].may_be.clear();
        for (std::size_t t = 0; t < all.size(); ++t) {
            std::size_t const end = t + 1 < all.size() ? all[t + 1].first : calls.size();
            auto const at = [&](std::size_t i) {
                return is_right.begin() + static_cast<std::ptrdiff_t>(i);
            };
            bool const holds = std::find(at(all[t].first), at(end), false) == at(end);
            if (!holds || is_settled_[all[t].word]) continue;
            is_settled_[all[t].word] = true;
            relations_.words[all[t].word].may_be = {open[all[t].word].may_be[all[t].formula]};
        }
    }

    proof_subject const& of_;
    std::span<std::int64_t const> key_;
    call_frame const& frame_;
    double limit_s_;
    system_clocks clocks_{};
    double begun_s_;
    call_frame held_{}; ///< of the user's call that runs
    size_relations relations_;
    std::vector<bool> is_settled_; ///< by word of the relations
};

ATTUNE_INLINE variant_proof prove_variant(proof_subject const& of,
                                          std::span<std::int64_t const> key,
                                          call_frame const& frame, shape_trust trust,
                                          double limit_s)
{
    variant_proof out;
    if (trust.is_distrusted()) return out;
    system_clocks const clocks;
    double const begun_s = clocks.wall_s();
    try {
        proving now(of, key, frame, limit_s);
        if (of.kernel.calls) {
            now.prove_by_user(std::move(trust), out);
        } else if (frame.resized && now.has_sizes()) {
            now.settle_relations();
            now.prove(std::move(trust), out);
        }
    } catch (std::exception const& e) { // no memory, or the user's function
        if (of.kernel.calls) out.trouble = e.what();
    } catch (...) {
        out.trouble = "an exception that is no std::exception";
    }
    out.elapsed_s = clocks.wall_s() - begun_s;
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
