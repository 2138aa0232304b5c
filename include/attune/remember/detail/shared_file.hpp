// attune/remember/detail/shared_file.hpp - reads and appends lines of a file to which processes append.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/lines/record_table.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A file of lines and the index over them, for one thread at a time. Reading takes no lock: a line
/// is whole if its checksum is right. For a last line without its newline, the lock shows if a
/// process is writing it.
class store_reader {
public:
    explicit store_reader(std::string path)
        : path_(std::move(path))
    {
    }

    enum class state { absent, unreadable, read };

    /// Reads the text appended since the last call, or all text if the file is another one.
    /// Cost  1 us without a change
    state refresh()
    {
        if (file_ && stamp_.known && store_file::stamp_at(path_) == stamp_) return state::read;
        if (file_ && !file_->still_at(path_)) forget();
        if (!file_) {
            store_file opened = store_file::open_to_read(path_);
            if (!opened.usable()) {
                why_ = opened.why();
                return opened.absent() ? state::absent : state::unreadable;
            }
            file_.emplace(std::move(opened));
        }
        store_file::identity const now = file_->stamp();
        if (now == stamp_) return state::read;
        by_others_ = file_->by_others();
        auto const size = static_cast<std::uint64_t>(std::max<std::int64_t>(now.bytes, 0));
        if (size > store_file::largest) {
            forget();
            why_ = std::generic_category().message(EFBIG);
            return state::unreadable;
        }
        // Text is only appended. After any other change, all text is read anew.
        if (size <= end_ || !ends_as_before()) start_anew();
        if (!take_up_to(size)) {
            why_ = file_->why();
            forget();
            return state::unreadable;
        }
        stamp_ = is_left_ ? store_file::identity{} : now;
        return state::read;
    }

    [[nodiscard]] record_table& table() noexcept { return table_; }
    [[nodiscard]] std::string const& why() const noexcept { return why_; }
    /// The reason why another user could have written the file; empty if none could.
    [[nodiscard]] std::string const& by_others() const noexcept { return by_others_; }

    /// Parts of the text that was read.
    [[nodiscard]] record_table::text_source source() const
    {
        return [this](std::uint64_t offset, std::size_t length, std::string& out) {
            return file_ && file_->read(offset, length, out);
        };
    }
    /// Returns true if the file may be replaced: this user owns it, it has a single name, and no
    /// other user may write it.
    [[nodiscard]] bool is_own() const { return file_ && file_->is_own() && by_others_.empty(); }

    /// The whole text that was read so far.
    [[nodiscard]] bool read_text(std::string& out) const
    {
        out.clear();
        return !file_ || file_->read(0, static_cast<std::size_t>(end_), out);
    }

private:
    static constexpr std::size_t block = std::size_t{1} << 20;
    static constexpr std::size_t guarded = 64;

    void forget()
    {
        file_.reset();
        start_anew();
    }
    void start_anew()
    {
        table_ = {};
        end_ = 0;
        stamp_ = {};
        before_end_.clear();
    }

    /// Returns true if the last bytes that were read are unchanged.
    [[nodiscard]] bool ends_as_before() const
    {
        std::string now;
        return file_->read(end_ - before_end_.size(), before_end_.size(), now) &&
               now == before_end_;
    }

    bool take_up_to(std::uint64_t size)
    {
        std::string text;
        is_left_ = false;
        for (std::size_t step = block; end_ < size;) {
            std::size_t const length = std::min<std::uint64_t>(step, size - end_);
            if (!file_->read(end_, length, text)) return false;
            std::size_t const taken = table_.take(text, end_);
            advance(text, taken);
            if (taken > 0) {
                step = block;
            } else if (length < size - end_) {
                step *= 2; // the line is longer
            } else {
                take_last_line(text, size);
                break;
            }
        }
        return true;
    }

    /// Reads a line without its newline: the writer died or is still writing, or a person edited
    /// the file.
    void take_last_line(std::string_view line, std::uint64_t size)
    {
        bool is_final = file_->lock(store_file::sharing::shared, 0.0) && file_->is_locked();
        is_final = is_final && file_->stamp().bytes == static_cast<std::int64_t>(size);
        file_->unlock();
        is_left_ = !table_.take_last(line, end_, is_final);
        if (!is_left_) advance(line, line.size());
    }

    void advance(std::string_view text, std::size_t taken)
    {
        if (taken == 0) return;
        end_ += taken;
        std::string_view const last = text.substr(0, taken);
        before_end_ = last.substr(last.size() - std::min(last.size(), guarded));
    }

    std::string path_;
    std::optional<store_file> file_{};
    record_table table_{};
    std::uint64_t end_ = 0; ///< bytes read so far
    store_file::identity stamp_{};
    std::string before_end_{};
    std::string why_{};
    std::string by_others_{};
    bool is_left_ = false; ///< a process is writing the last line
};

/// A line to append, behind the line of its problem.
struct waiting_line {
    std::string id{};
    stored_problem problem{}; ///< each writer writes it once
    std::string line{};
    bool is_introduced = false; ///< the file has the line of its problem
};

/// For one thread at a time. Parses a whole file once, if it does not begin like a store. Later it
/// only searches appended text for lines that begin like a header.
class store_writer {
public:
    explicit store_writer(std::string path)
        : path_(std::move(path))
    {
    }

    enum class ending {
        saved,
        kept,    ///< not written now: see why()
        newer,   ///< the file has a newer format
        foreign, ///< the file is no store
    };

    /// Appends all lines by one write.
    /// @param wait_s  longest wait for the lock
    [[nodiscard]] ending append(std::span<waiting_line const> lines, double wait_s)
    {
        for (int attempt = 0; attempt < 10; ++attempt)
            if (auto const end = try_append(lines, wait_s)) {
                if (file_) file_->unlock();
                return *end;
            }
        return keep("it is replaced all the time");
    }
    [[nodiscard]] std::string const& why() const noexcept { return why_; }
    [[nodiscard]] bool was_locked_out() const noexcept { return was_locked_out_; }

private:
    static constexpr std::string_view header_start = "{\"attune_store\":";
    static constexpr std::size_t block = std::size_t{1} << 20;

    ending keep(std::string why)
    {
        why_ = std::move(why);
        return ending::kept;
    }

    /// Returns empty if the file was replaced; another attempt may succeed.
    std::optional<ending> try_append(std::span<waiting_line const> lines, double wait_s)
    {
        was_locked_out_ = false;
        if (file_ && process_ != ::getpid()) forget(); // a fork shares the open file and its lock
        if (!file_) {
            store_file opened = store_file::open_to_append(path_);
            if (!opened.usable()) return keep(opened.why());
            file_.emplace(std::move(opened));
            process_ = ::getpid();
            // Reads a long text before the lock, while others can write.
            if (!look_up_to(size())) return keep(file_->why());
        }
        if (!file_->lock(store_file::sharing::exclusive, wait_s)) {
            was_locked_out_ = file_->is_held();
            if (was_locked_out_) return keep(file_->why());
            // The next attempt opens the new file.
            bool const is_stale = file_->is_stale();
            why_ = file_->why();
            forget();
            return is_stale ? std::nullopt : std::optional(ending::kept);
        }
        auto const end = file_->size_at(path_);
        if (!end) {
            forget();
            return std::nullopt;
        }
        if ((is_newer_ || is_foreign_) && !(file_->stamp() == refused_)) start_anew();
        if (!look_up_to(*end)) return keep(file_->why());
        if (is_newer_ || is_foreign_) {
            refused_ = file_->stamp();
            return is_newer_ ? ending::newer : ending::foreign;
        }
        std::string last = "\n";
        if (*end > 0 && !file_->read(*end - 1, 1, last)) return keep(file_->why());
        // Without a lock, another process may be writing a line at this moment.
        std::string text = *end == 0 || (last == "\n" && file_->is_locked()) ? "" : "\n";
        if (format_ < store_format) text += header_line() + '\n';
        std::vector<std::string> introduced;
        for (waiting_line const& one : lines) {
            if (!one.is_introduced && !introduced_.contains(one.id) &&
                std::find(introduced.begin(), introduced.end(), one.id) == introduced.end()) {
                text += problem_line(one.id, one.problem) + '\n';
                introduced.push_back(one.id);
            }
            text += one.line + '\n';
        }
        if (!file_->append(text, *end)) return keep(file_->why());
        introduced_.insert(introduced.begin(), introduced.end());
        format_ = store_format;
        if (file_->is_locked()) seen_ = *end + text.size();
        return ending::saved;
    }

    void forget()
    {
        file_.reset();
        start_anew();
    }
    void start_anew()
    {
        seen_ = 0;
        format_ = 0;
        is_newer_ = is_foreign_ = false;
        introduced_.clear();
    }

    [[nodiscard]] std::uint64_t size() const noexcept
    {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(file_->stamp().bytes, 0));
    }

    /// Searches the appended text for headers.
    [[nodiscard]] bool look_up_to(std::uint64_t end)
    {
        if (end < seen_) start_anew();
        if (seen_ == 0 && end > 0 && !look_at_beginning(end)) return false;
        std::string text;
        while (seen_ < end) {
            // A header across the border of two blocks is found in the second one.
            std::uint64_t const from = seen_ - std::min<std::uint64_t>(seen_, 64);
            auto const length =
                static_cast<std::size_t>(std::min<std::uint64_t>(block, end - from));
            if (!file_->read(from, length, text)) return false;
            look_at(text, from == 0, from + length == end);
            seen_ = from + length;
        }
        return true;
    }

    void look_at(std::string_view text, bool is_beginning, bool is_end)
    {
        auto const next = [&](std::size_t from) {
            void const* const found = ::memmem(text.data() + from, text.size() - from,
                                               header_start.data(), header_start.size());
            return found == nullptr
                       ? text.npos
                       : static_cast<std::size_t>(static_cast<char const*>(found) - text.data());
        };
        for (std::size_t at = next(0); at != text.npos; at = next(at + 1)) {
            bool const is_line = at == 0 ? is_beginning : text[at - 1] == '\n';
            std::size_t const end = std::min(text.find('\n', at), text.size());
            if (!is_line || (end == text.size() && !is_end)) continue;
            line_content const content = read_line(text.substr(at, end - at));
            auto const* const header = std::get_if<store_header>(&content);
            if (header == nullptr) continue;
            is_newer_ = is_newer_ || !header->known;
            format_ = std::max<std::uint64_t>(format_, header->format == "2" ? 2 : 1);
        }
    }

    /// Reads a file that does not begin with a header whole, to find out if it is a store.
    [[nodiscard]] bool look_at_beginning(std::uint64_t end)
    {
        std::string text(header_start);
        auto const length = static_cast<std::size_t>(std::min<std::uint64_t>(text.size(), end));
        if (!file_->read(0, length, text)) return false;
        if (text == header_start) return true;
        if (!file_->read_all(text)) return false;
        record_table table;
        std::size_t const taken = table.take(text, 0);
        if (taken < text.size())
            static_cast<void>(table.take_last(std::string_view(text).substr(taken), taken, true));
        is_foreign_ = table.is_foreign();
        is_newer_ = table.is_newer();
        return true;
    }

    std::string path_;
    std::optional<store_file> file_{};
    ::pid_t process_ = 0;
    std::uint64_t seen_ = 0;   ///< bytes checked so far
    std::uint64_t format_ = 0; ///< the newest format in a header
    bool is_newer_ = false;
    bool is_foreign_ = false;
    store_file::identity refused_{}; ///< the file, if it was newer or foreign
    bool was_locked_out_ = false;
    std::unordered_set<std::string> introduced_{}; ///< problems that this object wrote to this file
    std::string why_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
