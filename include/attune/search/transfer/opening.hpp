// attune/search/transfer/opening.hpp - what is asked first where other sessions are known.
// SPDX-License-Identifier: MIT
// Source   own. All that sessions recommend is good by their opinion, so its outcomes alone do not
//          say whether the opinion is right: equally slow ones may be a slow device. One outcome
//          of which they expect something else does, so one of the design stands beside them.
//          On recorded kernels with reversed sessions that is worth 0.4 of the optimum after 10
//          evaluations; with right ones it costs 0.01 there and is worth 0.005 after 40.
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

/// What sessions say of a configuration. Lower is better.
struct opinion {
    double deviations = 0; ///< their mean, weighted: from the space's mean, in deviations over it
    double value = 0;      ///< the same as a (logarithm of a) value
};

/// An outcome beside it.
struct judged_outcome {
    double expected = 0;           ///< opinion::deviations
    std::optional<double> value{}; ///< nothing: it failed
    /// The logarithm of the value less opinion::value; infinite for a failure, and where no session
    /// has a level.
    double surprise = 0;
};

/// Whether outcomes come in the order that was expected, by pairs, each as important as the
/// difference that was expected of it: 1 all do, -1 none, 0 nothing can be compared. A failure is
/// slower than everything.
[[nodiscard]] double agreement(std::span<judged_outcome const> told) noexcept;

enum class opening_step : std::uint8_t {
    session, ///< the next of the sessions' portfolio
    design,  ///< the next of the design of a search without sessions
    model    ///< whatever the model wants
};

/// Decides the kind of the next question, until `length` outcomes are known.
class opening {
public:
    static constexpr std::size_t length = 10;
    /// More than this over what sessions expected, as a logarithm, is a surprise: other devices of
    /// the same kind are nearer. Of recorded kernels with reversed sessions all outcomes are
    /// beyond.
    static constexpr double surprising = 1.2;
    /// Expectations that differ by less tell right sessions from wrong ones badly.
    static constexpr double contrast = 1;
    /// Outcomes from which on one of the design is due although nothing was surprising.
    static constexpr std::size_t unsurprised = 5;

    /// @param starts  number of configurations of sessions, where all works and agrees
    explicit opening(std::size_t starts)
        : starts_(starts)
    {
    }
    /// @param told     in the order of telling
    /// @param waiting  opinion::deviations of those that were asked for and are not told
    [[nodiscard]] opening_step next(std::span<judged_outcome const> told,
                                    std::span<double const> waiting);

private:
    static constexpr std::size_t most_designs = 2; ///< for contrast

    [[nodiscard]] opening_step choose(std::span<judged_outcome const> told,
                                      std::span<double const> waiting) const;

    std::size_t starts_;
    std::size_t sessions_ = 0; ///< steps of that kind so far
    std::size_t designs_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/transfer/opening.ipp>
#endif
