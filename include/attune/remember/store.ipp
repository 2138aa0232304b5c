// attune/remember/store.ipp - the lines of a file, and lines that wait to be written.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/remember/detail/line_text.hpp>
#include <attune/remember/detail/shared_file.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/lines/store_lines.hpp>
#include <attune/remember/store.hpp>

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <span>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Seconds that add() waits for the lock of another process.
inline constexpr double longest_store_wait_s = 3.0;

/// An object with lines that could not be written; exit() tries once more.
class writes_at_exit {
public:
    template <class T>
    static void add(std::shared_ptr<T> const& what)
    {
        static writes_at_exit all;
        std::scoped_lock<fork_safe_mutex> const guard(all.mutex_);
        all.writers_.push_back([weak = std::weak_ptr<T>(what)] {
            if (auto const alive = weak.lock()) alive->write_at_end();
        });
    }
    writes_at_exit(writes_at_exit const&) = delete;
    writes_at_exit& operator=(writes_at_exit const&) = delete;

private:
    writes_at_exit() = default;
    ~writes_at_exit()
    {
        for (auto const& write : writers_)
            write();
    }
    fork_safe_mutex mutex_{};
    std::vector<std::function<void()>> writers_{};
};

} // namespace detail

class store::implementation : public std::enable_shared_from_this<store::implementation> {
public:
    explicit implementation(std::string path)
        : path_(std::move(path))
        , file_(absolute(path_))
        , writer_(file_)
        , reader_(file_)
    {
    }

    lookup_result find(record_key const& key)
    {
        lock_of const guard(state_);
        if (!refresh()) return {};
        lookup_result in_file = reader_.table().find(key, reader_.source());
        if (!is_believed()) in_file = detail::unbelieved(std::move(in_file));
        lookup_result const waiting = kept_.table().find(key, kept_.source());
        return detail::better_of(in_file, waiting);
    }

    detail::problem_history recall(detail::stored_problem const& wanted)
    {
        lock_of const guard(state_);
        if (!refresh()) return {.problem = wanted};
        detail::problem_history out{.problem = wanted};
        if (is_believed()) out = reader_.table().recall(wanted, reader_.source());
        detail::add_to(out, kept_.table().recall(wanted, kept_.source()));
        return out;
    }

    std::vector<detail::related_problem> related(detail::stored_problem const& wanted,
                                                 std::size_t most)
    {
        lock_of const guard(state_);
        if (!refresh()) return {};
        auto out = reader_.table().related(wanted, most, reader_.source());
        if (!is_believed()) out = detail::unbelieved(std::move(out));
        detail::add_to(out, kept_.table().related(wanted, most, kept_.source()), most);
        return out;
    }

    std::vector<detail::proven_shape> proofs(detail::stored_problem const& wanted,
                                             std::string const& code)
    {
        lock_of const guard(state_);
        if (!refresh()) return {};
        std::vector<detail::proven_shape> out;
        if (is_believed()) out = reader_.table().proofs(wanted, code, reader_.source());
        for (detail::proven_shape& one : kept_.table().proofs(wanted, code, kept_.source()))
            out.push_back(std::move(one));
        return out;
    }

    std::string text()
    {
        lock_of const guard(state_);
        std::string out;
        if (!refresh() || !is_believed() || !reader_.read_text(out)) out.clear();
        if (!out.empty() && out.back() != '\n') out += '\n';
        return out + kept_.text();
    }

    /// @param what  arguments of line_maker
    template <class... What>
    void append(What const&... what)
    {
        double const wait_s = is_locked_out_ ? 0.0 : detail::longest_store_wait_s;
        lock_of const only_one(writing_);
        leave_to_parent();
        detail::waiting_line line = make_line_(what...);
        if (waiting_.empty() && write({&line, 1}, wait_s)) return compact();
        bool const is_first = waiting_.empty();
        {
            lock_of const guard(state_);
            kept_.add(line);
            waiting_.push_back(std::move(line));
            process_ = ::getpid();
            if (!std::exchange(will_write_at_exit_, true))
                detail::writes_at_exit::add(shared_from_this());
        }
        if (!is_first) write_waiting(wait_s);
    }

    void prove(detail::stored_problem const& problem, detail::proven_shape const& proof)
    {
        {
            lock_of const guard(state_);
            if (refresh() && (reader_.table().says(problem, proof, reader_.source()) ||
                              kept_.table().says(problem, proof, kept_.source())))
                return;
        }
        append(problem, proof);
    }

    /// Writes in the process that was asked to keep the lines, not in a fork of it.
    void write_at_end()
    {
        lock_of const only_one(writing_);
        if (process_ == ::getpid()) write_waiting(detail::longest_store_wait_s);
    }

    /// Appends the calls of problems by one write, for a program that ends. Does nothing if there
    /// is no file, or if another process holds its lock for a second. A file that is mostly past is
    /// then rewritten. A failure is not worth a notice.
    void count(std::vector<detail::problem_calls> const& all)
    {
        constexpr double longest_wait_s = 1;
        constexpr int turn_ms = 100; // another thread may wait for the file
        if (all.empty() || writing_.is_mine() || !writing_.try_lock_for_ms(turn_ms)) return;
        std::unique_lock<detail::fork_safe_mutex> const only_one(writing_, std::adopt_lock);
        if (!detail::store_file::stamp_at(file_).known) return;
        std::vector<detail::waiting_line> lines;
        for (detail::problem_calls const& one : all)
            lines.push_back(make_line_(one.problem, one.calls));
        {
            lock_of const guard(state_);
            for (detail::waiting_line& line : lines)
                line.is_introduced = reader_.table().knows(line.id);
        }
        double const wait_s = is_locked_out_ ? 0.0 : longest_wait_s;
        if (writer_.append(lines, wait_s) == detail::store_writer::ending::saved) compact();
    }

    std::vector<std::string> notices()
    {
        lock_of const guard(state_);
        return std::exchange(notices_, {});
    }

    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    [[nodiscard]] std::string lock_path() const { return file_ + ".lock"; }

private:
    using lock_of = std::scoped_lock<detail::fork_safe_mutex>;

    [[nodiscard]] static std::string absolute(std::string const& path)
    {
        std::error_code ignored; // without a current directory the path stays as it is
        std::filesystem::path const out = std::filesystem::absolute(path, ignored);
        return ignored ? path : out.string();
    }

    void notice_once(std::string text)
    {
        if (told_.insert(text).second) notices_.push_back(std::move(text));
    }
    /// Adds one notice for a file that cannot be read or written.
    void notice_unusable(char const* what, std::string const& why)
    {
        if (std::exchange(is_unusable_, true)) return;
        notice_once(path_ + ": cannot be " + what + " (" + why +
                    "): results are kept in memory until the process ends");
    }
    /// Adds a notice for all damaged lines; later damage adds another notice.
    void notice_damage(detail::damaged_lines const& damaged)
    {
        if (damaged.count == 0) return;
        std::string const where = path_ + ":" + std::to_string(damaged.first) + ": ";
        notice_once(damaged.count == 1 ? where + "damaged record skipped (" + damaged.why + ")"
                                       : where + "this and " + std::to_string(damaged.count - 1) +
                                             " more damaged records skipped (" + damaged.why + ")");
    }
    void notice_newer(std::string const& format)
    {
        notice_once(path_ + ": written by a newer attune (store format " + format +
                    ", this one knows " + std::to_string(detail::store_format) +
                    "): left untouched, nothing is remembered");
    }
    void notice_foreign()
    {
        notice_once(path_ + ": not an attune store: left untouched, results are kept in memory "
                            "until the process ends; give the store another path");
    }

    /// Returns false if another user could have written the file.
    [[nodiscard]] bool is_believed() const noexcept { return reader_.by_others().empty(); }

    /// Updates the table from the file. @return  false: it may give no answer
    bool refresh()
    {
        auto const ended = reader_.refresh();
        if (ended == detail::store_reader::state::unreadable)
            notice_unusable("read", reader_.why());
        if (ended != detail::store_reader::state::read) return true;
        detail::record_table& table = reader_.table();
        if (table.is_newer()) {
            notice_newer(table.newer_format());
            return false;
        }
        auto const damaged = table.take_damage();
        if (table.is_foreign())
            notice_foreign();
        else
            notice_damage(damaged);
        if (!is_believed() && !table.is_foreign())
            notice_once(detail::unbelieved_notice(path_, reader_.by_others()));
        return true;
    }

    /// Look-ups continue meanwhile.  @pre  `writing_` is held, `state_` is not
    /// @return  false: the lines must be kept
    bool write(std::span<detail::waiting_line const> lines, double wait_s)
    {
        using enum detail::store_writer::ending;
        auto const ended = writer_.append(lines, wait_s);
        is_locked_out_ = writer_.was_locked_out();
        lock_of const guard(state_);
        switch (ended) {
        case saved:
            is_unusable_ = false;
            return true;
        case newer:
            static_cast<void>(refresh()); // refresh() reports it
            return true;
        case foreign:
            notice_foreign();
            return false;
        case kept:
            notice_unusable("written", writer_.why());
            return false;
        }
        return false;
    }

    /// If most of a file is past, replaces it by the lines that still matter. Other writers wait
    /// meanwhile, and continue in the new file.  @pre  as write()
    void compact()
    {
        {
            lock_of const guard(state_);
            if (!is_compactable_ || !reader_.table().is_mostly_past()) return;
            is_compactable_ = refresh() && reader_.is_own();
            if (!is_compactable_) return;
        }
        try {
            detail::rewrite_store(file_, [](std::string const& now) {
                std::string made = detail::compacted(now);
                return made.size() < now.size() / 2 ? made : now;
            });
        } catch (error const&) { // such as a read-only folder: only costs time
        }
        lock_of const guard(state_);
        static_cast<void>(refresh());
        is_compactable_ = !reader_.table().is_mostly_past();
    }

    /// In the child of a fork: the process that was asked to keep the waiting lines writes them.
    /// Look-ups here still find them.
    /// @pre  `writing_` is held
    void leave_to_parent()
    {
        if (waiting_.empty() || process_ == ::getpid()) return;
        lock_of const guard(state_);
        waiting_.clear();
    }

    void write_waiting(double wait_s)
    {
        if (waiting_.empty() || !write(waiting_, wait_s)) return;
        lock_of const guard(state_);
        waiting_.clear();
        kept_ = {};
    }

    std::string path_;                ///< as given; named in notices
    std::string file_;                ///< absolute
    detail::fork_safe_mutex writing_; ///< held during a wait for a file; locked before `state_`
    detail::store_writer writer_;     ///< under `writing_`
    detail::line_maker make_line_;    ///< under `writing_`
    std::atomic<bool> is_locked_out_{false};
    std::vector<detail::waiting_line>
        waiting_;         ///< not written yet; both mutexes are held for a change
    ::pid_t process_ = 0; ///< the process that was asked to keep them

    detail::fork_safe_mutex state_; ///< guards the members below
    detail::store_reader reader_;
    detail::line_text kept_; ///< the lines of `waiting_`, for look-ups
    std::vector<std::string> notices_;
    bool is_unusable_ = false; ///< true after the notice about it
    bool will_write_at_exit_ = false;
    bool is_compactable_ = true;
    std::set<std::string> told_;
};

ATTUNE_INLINE store::store(std::string path)
    : implementation_(std::make_shared<implementation>(std::move(path)))
{
}
ATTUNE_INLINE store::store(store&&) noexcept = default;
ATTUNE_INLINE store& store::operator=(store&& other) noexcept
{
    std::swap(implementation_, other.implementation_);
    return *this;
}
ATTUNE_INLINE store::~store()
{
    if (implementation_) implementation_->write_at_end();
}

ATTUNE_INLINE lookup_result store::find(record_key const& key)
{
    return implementation_->find(key);
}
ATTUNE_INLINE void store::add(record const& entry) { implementation_->append(entry); }
ATTUNE_INLINE std::vector<std::string> store::notices() { return implementation_->notices(); }
ATTUNE_INLINE std::string const& store::path() const noexcept { return implementation_->path(); }
ATTUNE_INLINE std::string store::text() { return implementation_->text(); }

ATTUNE_INLINE void store::note(detail::stored_problem const& problem, detail::tried_row const& row)
{
    implementation_->append(problem, row);
}
ATTUNE_INLINE void store::end(detail::stored_problem const& problem)
{
    implementation_->append(problem);
}
ATTUNE_INLINE void store::prove(detail::stored_problem const& problem,
                                detail::proven_shape const& proof)
{
    implementation_->prove(problem, proof);
}
ATTUNE_INLINE detail::problem_history store::recall(detail::stored_problem const& wanted)
{
    return implementation_->recall(wanted);
}
ATTUNE_INLINE std::vector<detail::related_problem>
store::related(detail::stored_problem const& wanted, std::size_t most)
{
    return implementation_->related(wanted, most);
}
ATTUNE_INLINE std::vector<detail::proven_shape> store::proofs(detail::stored_problem const& wanted,
                                                              std::string const& code)
{
    return implementation_->proofs(wanted, code);
}
ATTUNE_INLINE detail::problem_claim store::claim(record_key const& key, double wait_s)
{
    return detail::problem_claim(implementation_->lock_path(), detail::identity_of(key), wait_s);
}
ATTUNE_INLINE void store::count(std::vector<detail::problem_calls> const& all)
{
    implementation_->count(all);
}

} // namespace attune::inline ATTUNE_ABI
