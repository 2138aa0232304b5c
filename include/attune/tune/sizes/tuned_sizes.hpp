// attune/tune/sizes/tuned_sizes.hpp - the tuned sizes of one kernel, and the size that should be tuned next.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/dispatch/choice/variant_choice.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/dispatch/served/served_inputs.hpp>
#include <attune/tune/dispatch/served/shape_register.hpp>
#include <attune/tune/report.hpp>
#include <attune/tune/sizes/size_tree.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The sizes of a kernel without bound inputs that have a winner: see size_policy. The first size
/// uses the served_inputs of the kernel. Each further size has separate served_inputs, with another
/// winner and other proofs. In a store a further size is a problem with the sizes as inputs:
/// {"argument 2", "512"}. Any thread, except where a function has a @pre.
class tuned_sizes {
public:
    /// @pre  all outlive this object
    tuned_sizes(dispatched_kernel const& subject, shape_register& shapes, variant_choice& choice);

    /// Returns the inputs whose winner serves a call of this shape.
    /// @param first  the inputs without sizes
    [[nodiscard]] std::shared_ptr<served_inputs> serving(std::shared_ptr<served_inputs> first,
                                                         std::span<std::int64_t const> key) const;

    /// Returns the winner of another size that may serve this shape unverified; null: none.
    /// @param but     inputs to leave out
    /// @pre   this thread holds the turn
    [[nodiscard]] installed_variant const* covering(served_inputs const& but,
                                                    std::span<std::int64_t const> key) const;

    /// Takes the winner of these inputs: it serves calls of about its sizes. With the first winner,
    /// also takes the further sizes of the store. Sends shapes that other inputs then serve through
    /// the slow path again.
    /// @param key  shape of a call that these inputs serve
    /// @return  false: the tuning tried the default alone, and the winner must not serve
    /// @pre   this thread holds the turn, and `of` is complete
    [[nodiscard]] bool take(served_inputs& of, std::span<std::int64_t const> key);
    /// Takes the sizes of the store before there is a winner.
    /// @pre   this thread holds the turn, and `first` is complete
    void read(served_inputs& first, std::span<std::int64_t const> key);
    /// Ends the use of a further size, and does not tune it again.
    /// @pre  this thread holds the turn
    void drop(served_inputs const& of);
    /// Ends a tuning that did not begin. A second later its size may be due again.
    /// @pre  this thread holds the turn
    void cancel(served_inputs const& of);

    /// Returns true if a background tuning of this call's sizes should save much time.
    /// @pre  this thread holds the turn
    [[nodiscard]] bool is_due(std::span<std::int64_t const> key);
    /// Returns true if is_due() holds for some shape, which goes through the slow path.
    [[nodiscard]] bool is_wanted() const noexcept { return is_wanted_; }
    /// Makes the inputs of a further size, for a tuning that ends with take() or drop().
    /// @pre  this thread holds the turn
    [[nodiscard]] std::shared_ptr<served_inputs> open(std::span<std::int64_t const> key);
    /// Finds out where calls spend their time, at most every 10 ms. Sends the shape whose sizes
    /// should be tuned through the slow path.
    /// Cost   mostly a comparison; at most 1 % of the time, a call sums the times of all shapes:
    ///        0.1 to 1 us each, 5 to 30 ms for 32,000
    void look() noexcept;

    /// Adds the sizes to a report, and the regret if each size is left out.
    void describe(tuning_report& to) const;

    /// Subtracts a part of a tuning from the budget of further sizes.
    /// @pre  this thread holds the turn
    void spend(std::uint64_t evaluations, double seconds);
    /// Returns the rest of the budget of all further sizes.  @pre  this thread holds the turn
    [[nodiscard]] search_limits left() const noexcept;

private:
    struct entry {
        served_inputs const* of = nullptr;
        std::shared_ptr<served_inputs> owned{}; ///< null: the first size
        sized_result result{};
    };
    /// The tree, and the inputs among which it chooses. They never change.
    struct choices {
        size_tree tree;
        std::vector<std::shared_ptr<served_inputs>> of{}; ///< by result; null: the first size
    };

    [[nodiscard]] std::vector<double> sizes_of(std::span<std::int64_t const> key) const;
    [[nodiscard]] named_texts names_of(std::span<double const> sizes) const;
    [[nodiscard]] std::optional<std::vector<double>> sizes_in(named_texts const& inputs) const;
    void find_words(std::span<std::int64_t const> key);
    void load(served_inputs const& first);
    void begin(served_inputs& first, tuned_result const& found, std::span<std::int64_t const> key);
    void grow();
    [[nodiscard]] bool may_tune() const;
    void look_now(double now_s);

    dispatched_kernel const& subject_;
    shape_register& shapes_;
    variant_choice& choice_;
    bool const is_on_; ///< several sizes may serve
    bool const tunes_; ///< further sizes may be tuned
    std::atomic<bool> has_first_{false};
    std::vector<std::size_t> words_{}; ///< indices of a shape's sizes; set before has_first_
    std::atomic<double> next_look_s_{0};
    std::atomic<bool> is_wanted_{false}; ///< a further size should be tuned

    mutable fork_safe_mutex lock_{lock_use::brief}; ///< guards choices_
    std::shared_ptr<choices const> choices_{};      ///< null: the first size serves all

    mutable fork_safe_mutex looking_{}; ///< guards the members below
    std::vector<entry> all_{};
    std::vector<std::vector<double>> refused_{}; ///< sizes whose tuning failed
    std::shared_ptr<served_inputs> open_{};      ///< the size whose tuning has no winner yet
    std::vector<double> open_sizes_{};
    std::optional<size_demand> demand_{};
    std::uint64_t spent_evaluations_ = 0;
    double spent_s_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/sizes/tuned_sizes.ipp>
#endif
