// attune/core/posix/library_functions.hpp - a library that is opened at run time, and its functions by name.
// SPDX-License-Identifier: MIT
// Source   man pages of dlopen, dlsym and dladdr
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

#include <memory>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Its symbols stay local. Unless close() is called the library stays open, because its threads may
/// run.
class library_functions {
public:
    explicit library_functions(std::string name);

    /// Why the library cannot be opened, in the loader's words; empty: it is open.
    [[nodiscard]] std::string const& why_none() const noexcept { return why_none_; }

    /// Sets `to`, to null if the library lacks the function.
    template <class Function>
    void wish(char const* symbol, Function*& to)
    {
        to = reinterpret_cast<Function*>(find(symbol));
    }
    /// The same; missing() is the first such function that the library lacks.
    template <class Function>
    void need(char const* symbol, Function*& to)
    {
        wish(symbol, to);
        if (to == nullptr && missing_ == nullptr) missing_ = symbol;
    }
    /// Null: none.
    [[nodiscard]] char const* missing() const noexcept { return missing_; }

    /// The file, as the loader names it.
    [[nodiscard]] std::string path() const;
    void close() noexcept;

private:
    [[nodiscard]] void* find(char const* symbol) noexcept;

    std::string name_;
    void* handle_;
    std::string why_none_{};
    char const* missing_ = nullptr;
    void* any_ = nullptr; ///< a function of the library
};

/// How errors speak of a library, and where it is found.
struct library_words {
    char const* what;     ///< "CUDA driver"
    char const* variable; ///< of the environment, with a path
    char const* usual;    ///< the name for the loader's path
    char const* install;
    char const* update; ///< advice for one that lacks a function
};

/// Opens a library and takes its functions.
/// @param path  empty: the variable's, else the usual name
/// @param take  (library_functions&, Table&); sets Table's members but `path`
/// Errors   attune::error: no library (with the loader's message), a missing function
template <class Table, class Take>
[[nodiscard]] std::shared_ptr<Table> open_functions(std::string path, library_words const& words,
                                                    Take const& take)
{
    if (path.empty()) path = environment_variable(words.variable);
    if (path.empty()) path = words.usual;
    library_functions from(path);
    if (!from.why_none().empty())
        throw error(std::string("no ") + words.what, from.why_none(), words.install);
    auto made = std::make_shared<Table>();
    take(from, *made);
    if (from.missing() != nullptr) {
        from.close();
        throw error("the " + std::string(words.what) + " has no function " + from.missing(), path,
                    words.update);
    }
    made->path = from.path();
    return made;
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/library_functions.ipp>
#endif
