// attune/core/posix/replace_file.hpp - writes a file whole: under another name, then renamed.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Users who may read a file.
enum class file_readers : bool {
    by_umask, ///< as the umask, or the mode of the replaced file, says
    owner     ///< this user alone, because the file holds data of calls
};

/// Creates the file at `path`, or replaces it. A reader sees the whole old text or the whole new
/// one. On an error the old file stays, and no other file is left. The new file gets the mode of
/// the replaced one, and its owner if root writes. A symbolic link of this user or of root stays.
/// Errors   attune::error: it cannot be written (with the reason), or is no regular file; the path
///          has a symbolic link of another user, or ends in a link without a target
void replace_file(std::string const& path, std::string_view text,
                  file_readers who = file_readers::by_umask);

struct file_content {
    std::string path{};
    std::string text{};
};
/// replace_file() for files that belong together. If a text cannot be written, replaces none of
/// them.
void replace_files(std::vector<file_content> const& all);

class file_in_writing;

/// replace_file() for a text in pieces. Until finish(), the pieces are in a file beside the target,
/// "out.PID-N.new". The destructor removes that file if finish() was not called. A killed process
/// leaves it.
class replaced_file {
public:
    /// Errors   attune::error, here and below: it cannot be written, or is no regular file
    explicit replaced_file(std::string path);
    ~replaced_file();
    replaced_file(replaced_file const&) = delete;
    replaced_file& operator=(replaced_file const&) = delete;

    void write(std::string_view piece);
    /// Gives the file its name. No other piece may follow.
    void finish();

private:
    std::string path_;
    std::unique_ptr<file_in_writing> made_;
};

/// replace_file() for a new file. Never replaces a file that appears meanwhile.
/// @return  false: the file exists, and nothing was written
/// Errors   attune::error: it cannot be written
[[nodiscard]] bool create_file(std::string const& path, std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/replace_file.ipp>
#endif
