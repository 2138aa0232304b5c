// attune/remember/study/study_board.hpp - what the lines of a study come to: its workers, claims and outcomes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/study/study_line.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct study_worker {
    std::string id{};   ///< in the file
    std::string name{}; ///< "node7:4711", host and process
    std::string host{};
    double lease_s = 0;
    double joined_s = 0, last_s = 0; ///< its first and its last line, by its own clock
    bool has_left = false;
    bool is_lost = false;          ///< a claim of its was taken over, and it wrote nothing since
    std::uint32_t evaluations = 0; ///< outcomes that count
    std::array<std::uint32_t, failure_stage_count> failures{};
    std::string first_fault{};   ///< the first failure that its objective did not return
    std::uint32_t late = 0;      ///< outcomes of configurations that had one
    std::uint32_t losses = 0;    ///< claims that others took over
    std::uint32_t refused = 0;   ///< lines that make no sense
    std::string first_refused{}; ///< why, of the first
};

struct open_claim {
    std::size_t worker = 0; ///< its place in workers()
    std::uint64_t number = 0;
    value_texts values{};
    std::vector<std::size_t> lost{}; ///< workers whose claims of it expired before
};

struct study_outcome {
    std::size_t worker = 0;
    value_texts values{};
    evaluation seen;
    bool is_fault = false;
};

/// All processes read the same lines in the same order, and so all agree:
/// - of claims of one configuration the first counts, until it is taken over by a claim that names
///   it, or its worker leaves;
/// - of outcomes of one configuration the first counts, also that of a worker whose claim was
///   taken over meanwhile: nothing that was told is lost, and nothing counts twice;
/// - who writes nonsense (a configuration of another space, an outcome without a claim, a value
///   that is not finite) changes nothing, and is told of by name.
///
/// Clocks are not compared. A claim has expired for a reader that has watched the file for the
/// worker's lease and saw no line of the worker: pass() counts that time. Who thinks so says it, by
/// a claim over the other one.
class study_board {
public:
    /// Why a claim of these values, or an outcome of them, makes no sense; empty: it does.
    using objection = std::function<std::string(value_texts const&, evaluation const* told)>;

    explicit study_board(objection objects = {})
        : objects_(std::move(objects))
    {
    }

    /// The next line of the file.
    void take(std::string_view line);
    /// So much time passed, in which the file was read and all of it was taken. A step longer than
    /// a quarter of a lease counts as that: this process itself may have stood still.
    void pass(double seconds);
    /// The file could not be written: nobody may have been able to say that they are at work.
    void hear_all() { quiet_s_.assign(quiet_s_.size(), 0.0); }

    [[nodiscard]] std::optional<study_header> const& header() const noexcept { return header_; }
    [[nodiscard]] std::vector<study_worker> const& workers() const noexcept { return workers_; }
    [[nodiscard]] std::vector<study_outcome> const& outcomes() const noexcept { return outcomes_; }
    /// In order of the file.
    [[nodiscard]] std::vector<open_claim> const& open() const noexcept { return open_; }
    /// The claim that holds these values; null: none.
    [[nodiscard]] open_claim const* holder_of(value_texts const& values) const;
    [[nodiscard]] bool has_outcome(value_texts const& values) const;
    [[nodiscard]] bool has_expired(open_claim const& one) const
    {
        return quiet_s_[one.worker] >= workers_[one.worker].lease_s;
    }
    [[nodiscard]] std::size_t damaged_lines() const noexcept { return damaged_; }

    /// Sentences on what is wrong since the last call: of each worker the first nonsense, each
    /// claim that was taken over, the first damaged line.
    [[nodiscard]] std::vector<std::string> notices() { return std::exchange(notices_, {}); }

private:
    struct known_claim {
        std::size_t worker;
        std::uint64_t number;
        auto operator<=>(known_claim const&) const = default;
    };

    void take(study_line const& line);
    void join(study_line const& line, study_join const& said);
    void claim(std::size_t by, study_claim const& said);
    void tell(std::size_t by, study_told const& said);
    void refuse(std::size_t by, std::string const& why);

    objection objects_;
    std::optional<study_header> header_{};
    std::vector<study_worker> workers_{};
    std::vector<double> quiet_s_{};                         ///< by worker
    std::unordered_map<std::string, std::size_t> places_{}; ///< of workers, by id
    std::vector<open_claim> open_{};
    std::map<known_claim, std::string> claims_{}; ///< all that ever held: key of the values
    std::vector<study_outcome> outcomes_{};
    std::unordered_set<std::string> told_{}; ///< keys
    std::size_t damaged_ = 0;
    std::uint64_t strangers_ = 0; ///< lines of workers that never joined
    std::vector<std::string> notices_{};
};

/// "X=3 Y=4"
[[nodiscard]] std::string text_of_values(std::optional<study_header> const& header,
                                         value_texts const& values);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/study/study_board.ipp>
#endif
