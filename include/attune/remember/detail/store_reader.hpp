// attune/remember/detail/store_reader.hpp - the lines of a file that others append to.
// SPDX-License-Identifier: MIT
//
// Reading takes no lock: a line is whole when its checksum is right. For a last line without
// its newline, the lock says whether a process is writing it.
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/lines/record_table.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A file of lines and the index over them. One thread at a time.
class store_reader {
public:
    explicit store_reader(std::string path)
        : path_(std::move(path))
    {
    }

    enum class state { absent, unreadable, read };

    /// Takes in what was appended since the last call, or all where the file is another one.
    /// Cost  1 us where nothing changed
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
        // Text is only appended; what was changed in another way is read anew.
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
    /// Why another user could have written the file that was read; empty: none could.
    [[nodiscard]] std::string const& by_others() const noexcept { return by_others_; }

    /// Parts of the text that was taken in.
    [[nodiscard]] record_table::text_source source() const
    {
        return [this](std::uint64_t offset, std::size_t length, std::string& out) {
            return file_ && file_->read(offset, length, out);
        };
    }
    /// This user owns the file under one name, and nobody else may write it: it may become another.
    [[nodiscard]] bool is_own() const { return file_ && file_->is_own() && by_others_.empty(); }

    /// The whole text, as far as it was taken in.
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

    /// The bytes before the end of what was taken in are still the same.
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
                step *= 2; // a line longer than that
            } else {
                take_last_line(text, size);
                break;
            }
        }
        return true;
    }

    /// A line without its newline: cut by the death of its writer, or by the person who edited the
    /// file; or its writer is at work.
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
    std::uint64_t end_ = 0; ///< bytes taken in
    store_file::identity stamp_{};
    std::string before_end_{};
    std::string why_{};
    std::string by_others_{};
    bool is_left_ = false; ///< a last line is being written
};

} // namespace attune::inline ATTUNE_ABI::detail
