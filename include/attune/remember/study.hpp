// attune/remember/study.hpp - the file of a shared study: its lines, and the claims and outcomes that count.
// SPDX-License-Identifier: MIT
// Source   JSON lines: every line is a JSON object (RFC 8259)
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/record.hpp>

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
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The format of written lines, and the newest readable one. A reader ignores unknown fields and
/// kinds of lines.
inline constexpr std::uint64_t study_format = 1;

/// The first line: facts that all participants must share.
struct study_header {
    std::string objective{};  ///< name of the evaluated objective
    std::string space{};      ///< identity of the space
    value_texts parameters{}; ///< names, in the order of the values of a configuration
    value_texts sizes{};      ///< how many values each has: "11"; "real"
    named_texts inputs{};     ///< inputs of the space
    std::string bounds{};     ///< on quantities that are measured: "error <= 0.001"
    std::uint64_t format = study_format;
};

/// The difference between a participant's study and the file's, in words; empty if there is none.
[[nodiscard]] std::string difference_of_studies(study_header const& here, study_header const& own);

/// The name of a claim: its worker, and the worker's number for it.
struct claim_name {
    std::string worker{};
    std::uint64_t number = 0;

    [[nodiscard]] friend bool operator==(claim_name const&, claim_name const&) = default;
};

struct study_join {
    std::string host{};
    std::uint64_t process = 0;
    /// A reader may take over the worker's claims if it sees no line of the worker for so many
    /// seconds of its own clock.
    double lease_s = 0;
};
/// The worker begins to evaluate a configuration.
struct study_claim {
    std::uint64_t number = 0;
    value_texts values{};
    std::optional<claim_name> over{}; ///< an expired claim of the same configuration
};
struct study_told {
    std::uint64_t number = 0;
    value_texts values{};
    evaluation seen = evaluation(0.0);
    /// True: `seen` is a failure that the objective did not return: it threw, returned NaN, or took
    /// too long.
    bool is_fault = false;
};
/// The worker still works.
struct study_beat {};
/// The worker has left; its claims are free.
struct study_leave {};
/// A line of a kind of a later release.
struct study_other {};

struct study_line {
    std::string worker{}; ///< its unique name in the file
    /// Seconds since 1970, by the writer's clock; for people only.
    double when_s = 0;
    std::variant<study_other, study_join, study_claim, study_told, study_beat, study_leave> says{};
};

using study_content = std::variant<study_header, study_line, damaged_line>;

/// A line without its newline. Reading one gives equal values: numbers to the last bit, and text
/// that is not UTF-8.
[[nodiscard]] std::string text_of_line(study_header const& header);
[[nodiscard]] std::string text_of_line(study_line const& line);
/// The content of a line with a right checksum. Never throws because of the content.
[[nodiscard]] study_content read_study_line(std::string_view line);

/// A file of lines to which processes of any machines append. Used by one thread at a time.
///
/// Each call opens the file anew. A network file system then shows the text of others (NFS promises
/// that at open(), RFC 7530 Sec. 10.3.1), and a file that was away for a while is found again. All
/// writing is under the lock of the file (flock, which Linux maps to a lock of the server on NFS),
/// by one write. If a file system has no locks, lines of two writers may damage each other; readers
/// skip them by their checksums.
class study_file {
public:
    /// Called for each whole line, once, in order.
    using taken = std::function<void(std::string_view line)>;
    /// Called after all lines of the file were taken. Returns text to append: lines with their
    /// newlines, or nothing.
    using made = std::function<std::string()>;

    /// @param path  absolute
    explicit study_file(std::string path);

    /// Takes lines appended since the last call.
    /// @return  false: it cannot be read now; see why()
    /// Errors   attune::error: the file was replaced by another one, or cut
    [[nodiscard]] bool look(taken const& take);

    /// Takes appended lines, appends the result of `make`, and takes lines up to the end. No other
    /// process writes between the reading and the appending.
    /// @param creates  makes a missing file and its folders
    /// @return  false: nothing was appended, because that is impossible now; see why()
    /// Errors   as look()
    [[nodiscard]] bool exchange(taken const& take, made const& make, bool creates = false);

    [[nodiscard]] std::string const& why() const noexcept { return why_; }
    [[nodiscard]] std::string const& path() const noexcept { return path_; }

private:
    struct opened;
    [[nodiscard]] bool take_up_to_end(opened& file, taken const& take);

    std::string path_;
    std::uint64_t device_ = 0, number_ = 0; ///< device and number of the file, after it was seen
    std::uint64_t end_ = 0;                 ///< bytes taken
    std::string why_{};
};

/// The reason why users besides this one and root may write into the file of a study, as
/// other_writer_of(). Empty if none may, or it cannot be opened.
[[nodiscard]] std::string who_may_tell(std::string const& path);

/// A worker of a study, by the lines of the study.
struct study_worker {
    std::string id{};   ///< id in the file
    std::string name{}; ///< "node7:4711", host and process
    std::string host{};
    double lease_s = 0;
    double joined_s = 0, last_s = 0; ///< its first and last line, by its own clock
    bool has_left = false;
    bool is_lost = false;          ///< a claim of it was taken over, and it wrote nothing since
    std::uint32_t evaluations = 0; ///< outcomes that count
    std::array<std::uint32_t, failure_stage_count> failures{};
    std::string first_fault{};   ///< the first failure that its objective did not return
    std::uint32_t late = 0;      ///< outcomes of configurations that already had one
    std::uint32_t losses = 0;    ///< claims that other workers took over
    std::uint32_t refused = 0;   ///< number of refused lines
    std::string first_refused{}; ///< the reason for the first of them
};

struct open_claim {
    std::size_t worker = 0; ///< place of the worker in workers()
    std::uint64_t number = 0;
    value_texts values{};
    std::vector<std::size_t> lost{}; ///< workers whose claims of this configuration expired before
};

struct study_outcome {
    std::size_t worker = 0;
    value_texts values{};
    evaluation seen;
    bool is_fault = false;
};

/// All processes read the same lines in the same order, so all agree:
/// - Of the claims of a configuration the first counts, until a claim that names it takes it over,
///   or its worker leaves.
/// - Among outcomes of a configuration the first counts, even if its worker's claim was taken over
///   meanwhile. No outcome is lost, and none counts twice.
/// - Nonsense of a worker changes nothing: a configuration of another space, an outcome without a
///   claim, a value that is not finite. A notice names the worker.
///
/// Clocks are not compared. A claim has expired for a reader that watched the file for the worker's
/// lease and saw no line of the worker; pass() counts that time. The reader then writes a claim
/// over the expired one.
class study_board {
public:
    /// An objection to a claim or outcome of these values; empty if there is none.
    using objection = std::function<std::string(value_texts const&, evaluation const* told)>;

    explicit study_board(objection objects = {})
        : objects_(std::move(objects))
    {
    }

    void take(std::string_view line);
    /// Adds time in which the file was read and all its lines were taken. A step counts as at most
    /// a quarter of a lease, because this process itself may have stood still.
    void pass(double seconds);
    /// Resets the silence of all workers. The file could not be written, so no worker could write a
    /// line.
    void hear_all() { quiet_s_.assign(quiet_s_.size(), 0.0); }

    [[nodiscard]] std::optional<study_header> const& header() const noexcept { return header_; }
    [[nodiscard]] std::vector<study_worker> const& workers() const noexcept { return workers_; }
    [[nodiscard]] std::vector<study_outcome> const& outcomes() const noexcept { return outcomes_; }
    /// Open claims in the order of the file.
    [[nodiscard]] std::vector<open_claim> const& open() const noexcept { return open_; }
    /// The claim that holds these values; null if there is none.
    [[nodiscard]] open_claim const* holder_of(value_texts const& values) const;
    [[nodiscard]] bool has_outcome(value_texts const& values) const;
    [[nodiscard]] bool has_expired(open_claim const& one) const
    {
        return quiet_s_[one.worker] >= workers_[one.worker].lease_s;
    }
    [[nodiscard]] std::size_t damaged_lines() const noexcept { return damaged_; }

    /// Sentences on errors since the last call: the first nonsense of each worker, each claim that
    /// was taken over, the first damaged line.
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
    std::map<known_claim, std::string> claims_{}; ///< all claims ever held: key of the values
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
#include <attune/remember/study.ipp>
#endif
