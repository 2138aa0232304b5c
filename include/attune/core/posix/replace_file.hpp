// attune/core/posix/replace_file.hpp - writes a file whole: beside its place, then into it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Who may read a file.
enum class file_readers : bool {
    by_umask, ///< as the umask says, or as the file that is replaced
    owner     ///< this user alone: it holds data of calls
};

/// Creates the file at `path`, or replaces it. A reader meanwhile sees the whole old text or the
/// whole new one; when this fails, the old one stays and nothing else is left. A file that is
/// replaced gives its mode to the new one, and its owner where root writes. A symbolic link of this
/// user or of root stays.
/// Errors   attune::error: it cannot be written (with the reason), or is no regular file; the path
///          has a symbolic link of another user, or ends in one that leads nowhere
void replace_file(std::string const& path, std::string_view text,
                  file_readers who = file_readers::by_umask);

/// A path, and the text that it is to have.
struct file_content {
    std::string path{};
    std::string text{};
};
/// The same for files that belong together: where one of them cannot be written, none is.
void replace_files(std::vector<file_content> const& all);

class file_in_writing;

/// The same for a text that comes in pieces: replace_file() of all of them together. Until finish()
/// they are in a file of another name beside it, "out.PID-N.new", which is removed if that is never
/// called, and stays if the process is killed.
class replaced_file {
public:
    /// Errors   attune::error, here and below: it cannot be written, or is no regular file
    explicit replaced_file(std::string path);
    ~replaced_file();
    replaced_file(replaced_file const&) = delete;
    replaced_file& operator=(replaced_file const&) = delete;

    void write(std::string_view piece);
    /// All is written: it gets its name. There is no other piece.
    void finish();

private:
    std::string path_;
    std::unique_ptr<file_in_writing> made_;
};

/// The same for a file that is not there yet: one that appears meanwhile is never replaced.
/// @return  false: there is one, and nothing was written
/// Errors   attune::error: it cannot be written
[[nodiscard]] bool create_file(std::string const& path, std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/replace_file.ipp>
#endif
