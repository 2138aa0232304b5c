// attune/compile/clang/detail/front_job.hpp - one job of Clang, from bytes to bytes.
// SPDX-License-Identifier: MIT
//
// A job runs in a process of its own (server_process.hpp) or, where there is none, in this one.
// Both run the same file, so numbers have this machine's layout.
#pragma once

#include <attune/compile/clang/abi.hpp>
#include <attune/compile/clang/detail/files.hpp>
#include <attune/compile/clang/detail/frontend.hpp>
#include <attune/compile/clang/detail/headers.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Writes values into one text, each text with its length before it.
class byte_writer {
public:
    template <class Number>
    void number(Number value)
    {
        char raw[sizeof value];
        std::memcpy(raw, &value, sizeof value);
        bytes_.append(raw, sizeof value);
    }
    void text(std::string_view value)
    {
        number(value.size());
        bytes_ += value;
    }
    template <class Texts>
    void texts(Texts const& values)
    {
        number(values.size());
        for (auto const& value : values)
            text(value);
    }
    [[nodiscard]] std::string take() { return std::move(bytes_); }

private:
    std::string bytes_{};
};

/// Reads what a byte_writer wrote, in the same order.
/// Errors   std::runtime_error: the bytes end too early
class byte_reader {
public:
    explicit byte_reader(std::string_view bytes)
        : bytes_(bytes)
    {
    }
    template <class Number>
    [[nodiscard]] Number number()
    {
        Number value{};
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    [[nodiscard]] std::string_view text() { return take(number<std::size_t>()); }
    [[nodiscard]] std::vector<std::string> texts()
    {
        std::vector<std::string> out;
        for (auto left = number<std::size_t>(); left > 0; --left)
            out.emplace_back(text());
        return out;
    }

private:
    [[nodiscard]] std::string_view take(std::size_t size)
    {
        if (size > bytes_.size()) throw std::runtime_error("a message is cut short");
        std::string_view const taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }

    std::string_view bytes_;
};

/// `prepare` gives what all variants of a kernel share: the arguments of the front end and the
/// parsed headers. `compile` gives the object of one variant.
enum class front_task : int { prepare, compile };

/// The bytes of a job.
/// @param executable  path that clang's driver takes for its own
[[nodiscard]] inline std::string
job_bytes(front_task task, std::string const& executable, attune_clang_request const& request)
{
    auto const list = [](char const* const* texts, unsigned long count) {
        return std::vector<std::string_view>(texts, texts + count);
    };
    byte_writer out;
    out.number(task);
    out.text(executable);
    out.text({request.text, request.text_size});
    out.number(request.kernel_size);
    out.text(request.path);
    out.texts(list(request.arguments, request.argument_count));
    out.texts(list(request.macros, request.macro_count));
    out.number(request.limit_s);
    out.text(request.overlay);
    out.text(request.views);
    out.number(request.precompile);
    return out.take();
}

/// A request with the texts that it points to.
struct owned_request {
    explicit owned_request(byte_reader& in)
        : executable(in.text())
        , text(in.text())
        , kernel_size(in.number<unsigned long>())
        , path(in.text())
        , arguments(in.texts())
        , macros(in.texts())
        , limit_s(in.number<double>())
        , overlay(in.text())
        , views(in.text())
        , precompile(in.number<int>())
    {
        for (std::string const& argument : arguments)
            argument_list.push_back(argument.c_str());
        for (std::string const& macro : macros)
            macro_list.push_back(macro.c_str());
        request.text = text.data();
        request.text_size = text.size();
        request.kernel_size = kernel_size;
        request.path = path.c_str();
        request.arguments = argument_list.data();
        request.argument_count = argument_list.size();
        request.macros = macro_list.data();
        request.macro_count = macro_list.size();
        request.limit_s = limit_s;
        request.overlay = overlay.c_str();
        request.views = views.c_str();
        request.precompile = precompile;
    }
    owned_request(owned_request const&) = delete;
    owned_request& operator=(owned_request const&) = delete;

    std::string executable, text;
    unsigned long kernel_size;
    std::string path;
    std::vector<std::string> arguments, macros;
    double limit_s;
    std::string overlay, views;
    int precompile;
    std::vector<char const*> argument_list{}, macro_list{};
    attune_clang_request request{};
};

inline void add_touched(touched_files const& files, byte_writer& out)
{
    out.number(files.read.size());
    for (auto const& [path, seen] : files.read) {
        out.text(path);
        out.number(seen.stamp);
        out.text(seen.hash);
    }
    out.texts(files.missed);
    out.text(files.folder);
    out.number(files.unlisted);
}

[[nodiscard]] inline touched_files touched_from(byte_reader& in)
{
    touched_files files;
    for (auto left = in.number<std::size_t>(); left > 0; --left) {
        seen_file& seen = files.read[std::string(in.text())];
        seen.stamp = in.number<file_stamp>();
        seen.hash = in.text();
    }
    for (std::string& path : in.texts())
        files.missed.insert(std::move(path));
    files.folder = in.text();
    files.unlisted = in.number<bool>();
    return files;
}

/// The result of the task `prepare`.
struct prepared_kernel {
    std::vector<std::string> frontend{};             ///< empty: the driver refused the flags
    touched_files by_driver{};                       ///< what the driver looked at for them
    std::unique_ptr<parsed_headers const> headers{}; ///< null: they are parsed for each variant
    bool is_kept = false;                            ///< the headers are those that were given
    std::string log{};

    /// Errors   std::runtime_error: `bytes` is not what bytes() gave
    [[nodiscard]] static prepared_kernel from(std::string_view bytes)
    {
        byte_reader in(bytes);
        prepared_kernel out;
        out.frontend = in.texts();
        out.by_driver = touched_from(in);
        if (std::string_view const kept = in.text(); !kept.empty())
            out.headers = parsed_headers::restore({kept.data(), kept.size()});
        out.is_kept = in.number<bool>();
        out.log = in.text();
        return out;
    }
    [[nodiscard]] std::string bytes() const
    {
        byte_writer out;
        out.texts(frontend);
        add_touched(by_driver, out);
        out.text(headers ? headers->text() : std::string{});
        out.number(is_kept);
        out.text(log);
        return out.take();
    }
    /// Parsed headers hold for these arguments alone.
    [[nodiscard]] std::string arguments_key() const
    {
        content_hash key;
        for (std::string const& argument : frontend)
            key.add(argument);
        return key.hex();
    }
};

/// @param kept  headers that an earlier process parsed: prepared_kernel::arguments_key(), a line end,
///              parsed_headers::text(). Used if the arguments are the same and no file has changed
[[nodiscard]] inline prepared_kernel
prepare(std::string const& executable, attune_clang_request const& request, std::string_view kept)
{
    prepared_kernel kernel;
    llvm::raw_string_ostream log(kernel.log);
    kernel.frontend = frontend_arguments(executable, request, kernel.by_driver, log);
    if (kernel.frontend.empty() || request.precompile == 0) return kernel;
    if (auto const [arguments, rest] = llvm::StringRef(kept.data(), kept.size()).split('\n');
        arguments == kernel.arguments_key()) {
        kernel.headers = parsed_headers::restore(rest);
        kernel.is_kept = kernel.headers && kernel.headers->usable();
        if (kernel.is_kept) return kernel;
    }
    std::string ignored; // the compilation of the variant reports errors in headers
    llvm::raw_string_ostream quiet(ignored);
    captured_diagnostics diagnostics(quiet);
    auto const invocation =
        make_invocation(kernel.frontend, request, false, executable, *diagnostics.engine);
    if (!invocation) return kernel;
    touched_files touched;
    kernel.headers = parsed_headers::parse(
        *invocation,
        request,
        *diagnostics.engine,
        kernel_file_system(request, {request.text, request.text_size}, touched),
        touched);
    return kernel;
}

[[nodiscard]] inline std::string bytes_of(clang_object const& object)
{
    byte_writer out;
    out.text({object.bytes.data(), object.bytes.size()});
    out.number(object.precompiled);
    add_touched(object.touched, out);
    out.text(object.log);
    out.number(object.spills);
    out.number(object.vector_instructions);
    return out.take();
}

/// Errors   std::runtime_error: `bytes` is not what bytes_of() gave
[[nodiscard]] inline clang_object object_from(std::string_view bytes)
{
    byte_reader in(bytes);
    clang_object out;
    std::string_view const object = in.text();
    out.bytes.assign(object.begin(), object.end());
    out.precompiled = in.number<bool>();
    out.touched = touched_from(in);
    out.log = in.text();
    out.spills = in.number<long>();
    out.vector_instructions = in.number<long>();
    return out;
}

/// Does one job.
/// @param job    of job_bytes()
/// @param given  for `prepare`, headers that were kept; for `compile`, what `prepare` gave
/// @return  the bytes of a prepared_kernel or of a clang_object
[[nodiscard]] inline std::string do_job(std::string_view job, std::string_view given)
{
    byte_reader in(job);
    auto const task = in.number<front_task>();
    owned_request const own(in);
    if (task == front_task::prepare) return prepare(own.executable, own.request, given).bytes();
    prepared_kernel const kernel = prepared_kernel::from(given);
    clang_object made =
        compile_to_object(own.executable, kernel.frontend, kernel.headers.get(), own.request);
    if (made.precompiled) made.touched.add(kernel.headers->touched());
    return bytes_of(made);
}

} // namespace attune::inline ATTUNE_ABI::detail
