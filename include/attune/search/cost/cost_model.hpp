// attune/search/cost/cost_model.hpp - the interface of a model that scores programs before they are compiled.
// SPDX-License-Identifier: MIT
// tested by search/cost/boosted_trees.cpp
// Source   Chen et al. 2018 (learning to optimize tensor programs), Zheng et al. 2020 (Ansor)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Learns scores of programs: 1 is the fastest program of its task, 0 a program that failed or
/// never ends.
/// - learn(programs, scores): all data, also those of earlier calls. Scores are in [0, 1], one per
///   program; programs have rows of one width.
/// - predict(programs): one number per program, higher is better, on the scale of scores; before
///   the first learn() all are equal.
/// Equal calls give equal numbers. tests/laws/cost_model.hpp checks all this.
template <class M>
concept cost_model = requires(M m, M const& learnt, std::span<program_rows const> programs,
                              std::span<double const> scores) {
    { m.learn(programs, scores) } -> std::same_as<void>;
    { learnt.predict(programs) } -> std::same_as<std::vector<double>>;
};

/// Any cost model as one value: movable, not copyable.
class any_cost_model {
public:
    template <class M>
        requires(!std::same_as<std::remove_cvref_t<M>, any_cost_model>)
    any_cost_model(M&& inner) // NOLINT: a cost model is an any_cost_model
    {
        using held = std::remove_cvref_t<M>;
        static_assert(cost_model<held>,
                      "attune::any_cost_model(m): 'm' is not a cost model; it needs "
                      "learn(span<program_rows const>, span<double const>) -> void, and const "
                      "predict(span<program_rows const>) -> std::vector<double>");
        if constexpr (cost_model<held>)
            self_ = std::make_unique<model<held>>(std::forward<M>(inner));
    }

    /// @pre not moved from
    void learn(std::span<program_rows const> programs, std::span<double const> scores)
    {
        self_->learn(programs, scores);
    }
    /// @pre not moved from
    [[nodiscard]] std::vector<double> predict(std::span<program_rows const> programs) const
    {
        return self_->predict(programs);
    }

private:
    struct concept_base {
        concept_base() = default;
        concept_base(concept_base const&) = delete;
        concept_base& operator=(concept_base const&) = delete;
        virtual ~concept_base() = default;
        virtual void learn(std::span<program_rows const> programs,
                           std::span<double const> scores) = 0;
        [[nodiscard]] virtual std::vector<double>
        predict(std::span<program_rows const> programs) const = 0;
    };
    template <class M>
    struct model final : concept_base {
        template <class T>
        explicit model(T&& inner)
            : held(std::forward<T>(inner))
        {
        }
        void learn(std::span<program_rows const> programs, std::span<double const> scores) override
        {
            held.learn(programs, scores);
        }
        [[nodiscard]] std::vector<double>
        predict(std::span<program_rows const> programs) const override
        {
            return held.predict(programs);
        }
        M held;
    };

    std::unique_ptr<concept_base> self_;
};

/// Makes a model without data.
using cost_model_factory = std::function<any_cost_model()>;

} // namespace attune::inline ATTUNE_ABI
