// attune/remember/store.ipp - the store's file: reading, locking, appending.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/matching.hpp>
#include <attune/remember/record.hpp>
#include <attune/remember/record_line.hpp>
#include <attune/remember/store.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

class store::implementation {
public:
    explicit implementation(std::string path)
        : path_(std::move(path))
    {
        std::error_code ignored; // without a current directory the path stays relative
        std::filesystem::path const absolute = std::filesystem::absolute(path_, ignored);
        file_ = ignored ? path_ : absolute.string();
    }

    lookup_result find(record_key const& key)
    {
        std::scoped_lock const guard(mutex_);
        refresh();
        best_match best{key};
        if (kind_ == content_kind::newer) return {};
        for (record const& entry : records_)
            best.offer(entry);
        for (record const& entry : unsaved_)
            best.offer(entry);
        return best.result();
    }

    void add(record const& entry)
    {
        std::scoped_lock const guard(mutex_);
        unsaved_.push_back(entry);
        if (!save()) return;
        for (record& saved : unsaved_)
            records_.push_back(std::move(saved));
        unsaved_.clear();
    }

    std::vector<std::string> notices()
    {
        std::scoped_lock const guard(mutex_);
        return std::exchange(notices_, {});
    }

    [[nodiscard]] std::string const& path() const noexcept { return path_; }

private:
    enum class content_kind { headless, ours, newer, foreign };

    void notice_once(std::string text)
    {
        if (told_.insert(text).second) notices_.push_back(std::move(text));
    }
    /// One notice for a file that can be neither read nor written.
    void notice_unusable(char const* what, std::string const& why)
    {
        if (std::exchange(is_unusable_, true)) return;
        notice_once(path_ + ": cannot be " + what + " (" + why +
                    "): results are kept in memory until the process ends");
    }

    /// The damaged lines of a file.
    struct damaged_lines {
        std::size_t count = 0;
        std::size_t first = 0; ///< number of the first damaged line
        std::string why{};     ///< what is wrong with the first

        void add(std::size_t number, std::string const& reason)
        {
            if (count++ > 0) return;
            first = number;
            why = reason;
        }
    };

    /// One notice for all damaged lines; a new notice when their number changes.
    void notice_damage(damaged_lines const& damaged)
    {
        std::string const where = path_ + ":" + std::to_string(damaged.first) + ": ";
        notice_once(damaged.count == 1 ? where + "damaged record skipped (" + damaged.why + ")"
                                       : where + "this and " + std::to_string(damaged.count - 1) +
                                             " more damaged records skipped (" + damaged.why + ")");
    }

    void forget_file()
    {
        records_.clear();
        stamp_ = {};
        kind_ = content_kind::headless;
        ends_with_newline_ = true;
    }

    /// Reads the file into `records_` if it has changed.
    void refresh()
    {
        detail::store_file file = detail::store_file::open_to_read(file_);
        if (!file.usable()) {
            forget_file();
            if (!file.absent()) notice_unusable("read", file.why());
            return;
        }
        if (file.stamp() == stamp_) return;
        bool const locked = file.lock(detail::store_file::sharing::shared);
        bool const read = load(file, locked);
        // Without the lock, another process may be writing the last line: read it again next time.
        if (read && !locked) stamp_ = {};
    }

    /// Reads all of `file`. False, with a notice, when that fails.
    bool load(detail::store_file const& file, bool locked)
    {
        forget_file();
        auto const stamp = file.stamp();
        std::string text;
        if (!file.read_all(text)) {
            notice_unusable("read", file.why());
            return false;
        }
        file.unlock_when_shared();
        stamp_ = stamp;
        is_unusable_ = false;
        ends_with_newline_ = text.empty() || text.back() == '\n';
        damaged_lines damaged;
        bool header_seen = false, strange = false;
        std::string_view rest = text;
        for (std::size_t number = 1; !rest.empty(); ++number) {
            std::size_t const end = rest.find('\n');
            std::string_view const line = rest.substr(0, end);
            rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
            if (line.find_first_not_of(" \t\r") == line.npos) continue;
            detail::line_content content = detail::read_line(line);
            if (auto* const entry = std::get_if<record>(&content)) {
                records_.push_back(std::move(*entry));
            } else if (auto const* const header = std::get_if<detail::store_header>(&content)) {
                header_seen = true;
                if (!header->known) {
                    refuse_newer(header->format);
                    return true;
                }
            } else if (end != rest.npos || locked) {
                damaged.add(number, std::get<detail::damage>(content).why);
                // A part of a header: its writer was killed.
                strange = strange || !detail::header_line().starts_with(line);
            }
        }
        if (!header_seen && records_.empty() && strange) {
            refuse_foreign();
            return true;
        }
        kind_ = header_seen ? content_kind::ours : content_kind::headless;
        if (damaged.count > 0) notice_damage(damaged);
        return true;
    }

    void refuse_newer(std::string const& format)
    {
        records_.clear();
        kind_ = content_kind::newer;
        notice_once(path_ + ": written by a newer attune (store format " + format +
                    ", this one knows " + std::to_string(detail::store_format) +
                    "): left untouched, nothing is remembered");
    }
    void refuse_foreign()
    {
        kind_ = content_kind::foreign;
        notice_once(path_ + ": not an attune store: left untouched, results are kept in memory "
                            "until the process ends; give the store another path");
    }

    /// Appends `unsaved_` to the file. False when the records must stay in memory.
    bool save()
    {
        for (int attempt = 0; attempt < 10; ++attempt)
            if (auto const result = try_to_save(); result != attempt_result::replaced)
                return result == attempt_result::saved;
        notice_unusable("written", "it is replaced all the time");
        return false;
    }

    enum class attempt_result { saved, kept, replaced };

    attempt_result try_to_save()
    {
        using enum attempt_result;
        auto file = detail::store_file::open_to_append(file_);
        if (!file.usable()) {
            notice_unusable("written", file.why());
            return kept;
        }
        if (!file.lock(detail::store_file::sharing::exclusive)) {
            notice_unusable("written", "another process keeps it locked");
            return kept;
        }
        if (!file.still_at(file_)) return replaced;
        if (file.stamp() != stamp_ && !load(file, true)) return kept;
        if (kind_ == content_kind::newer) {
            unsaved_.clear();
            return kept;
        }
        if (kind_ == content_kind::foreign) return kept;

        std::string text = ends_with_newline_ ? "" : "\n";
        if (kind_ != content_kind::ours) text += detail::header_line() + "\n";
        for (record const& entry : unsaved_)
            text += detail::record_line(entry) + "\n";
        if (!file.append(text)) {
            stamp_ = {};
            notice_unusable("written", file.why());
            return kept;
        }
        stamp_ = file.stamp();
        kind_ = content_kind::ours;
        ends_with_newline_ = true;
        return saved;
    }

    std::string path_; ///< as given, for notices
    std::string file_; ///< `path_`, absolute
    detail::fork_safe_mutex mutex_;
    std::vector<record> records_; ///< those in the file
    std::vector<record> unsaved_; ///< those that could not be written
    detail::store_file::identity stamp_{};
    content_kind kind_ = content_kind::headless;
    bool ends_with_newline_ = true;
    std::vector<std::string> notices_;
    bool is_unusable_ = false; ///< true: the notice for an unusable file was given
    std::set<std::string> told_;
};

ATTUNE_INLINE store::store(std::string path)
    : implementation_(std::make_unique<implementation>(std::move(path)))
{
}
ATTUNE_INLINE store::store(store&&) noexcept = default;
ATTUNE_INLINE store& store::operator=(store&&) noexcept = default;
ATTUNE_INLINE store::~store() = default;

ATTUNE_INLINE lookup_result store::find(record_key const& key)
{
    return implementation_->find(key);
}
ATTUNE_INLINE void store::add(record const& entry) { implementation_->add(entry); }
ATTUNE_INLINE std::vector<std::string> store::notices() { return implementation_->notices(); }
ATTUNE_INLINE std::string const& store::path() const noexcept { return implementation_->path(); }

} // namespace attune::inline ATTUNE_ABI
