// attune/compile/clang/detail/front_job.hpp - the two jobs of Clang: prepare a kernel, compile a variant.
// SPDX-License-Identifier: MIT
//
// Jobs run in the compile server (server_process.hpp). If no process can be started, they run in
// this process.
#pragma once

#include <attune/compile/clang/abi.hpp>
#include <attune/compile/clang/detail/files.hpp>
#include <attune/compile/clang/detail/frontend.hpp>
#include <attune/compile/clang/detail/headers.hpp>
#include <attune/compile/clang/detail/packed.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// `prepare` gives what all variants of a kernel share: the arguments of the front end and the
/// parsed headers. `compile` gives the object of one variant.
enum class front_task : int { prepare, compile };

/// A job with all that it needs, apart from the result of `prepare`.
struct front_job {
    front_task task{};
    std::string executable{}; ///< path that clang's driver takes for its own
    std::string text{};
    unsigned long kernel_size{};
    std::string path{};
    std::vector<std::string> arguments{}, macros{};
    double limit_s{};
    std::string overlay{}, views{};
    int precompile{};

    template <class Self, class Visit>
    static void members(Self& self, Visit& visit)
    {
        visit(self.task, self.executable, self.text, self.kernel_size, self.path, self.arguments);
        visit(self.macros, self.limit_s, self.overlay, self.views, self.precompile);
    }
};

[[nodiscard]] inline front_job job_of(front_task task, std::string const& executable,
                                      attune_clang_request const& request)
{
    return {task,
            executable,
            {request.text, request.text_size},
            request.kernel_size,
            request.path,
            {request.arguments, request.arguments + request.argument_count},
            {request.macros, request.macros + request.macro_count},
            request.limit_s,
            request.overlay,
            request.views,
            request.precompile};
}

/// The request of a job, which must outlive it.
class request_of {
public:
    explicit request_of(front_job const& job)
    {
        for (std::string const& argument : job.arguments)
            arguments_.push_back(argument.c_str());
        for (std::string const& macro : job.macros)
            macros_.push_back(macro.c_str());
        request_.text = job.text.data();
        request_.text_size = job.text.size();
        request_.kernel_size = job.kernel_size;
        request_.path = job.path.c_str();
        request_.arguments = arguments_.data();
        request_.argument_count = arguments_.size();
        request_.macros = macros_.data();
        request_.macro_count = macros_.size();
        request_.limit_s = job.limit_s;
        request_.overlay = job.overlay.c_str();
        request_.views = job.views.c_str();
        request_.precompile = job.precompile;
    }
    request_of(request_of const&) = delete;
    request_of& operator=(request_of const&) = delete;

    [[nodiscard]] attune_clang_request const& operator*() const noexcept { return request_; }

private:
    std::vector<char const*> arguments_{}, macros_{};
    attune_clang_request request_{};
};

/// The result of the task `prepare`.
struct prepared_kernel {
    std::vector<std::string> frontend{};             ///< empty: the driver refused the flags
    touched_files by_driver{};                       ///< what the driver looked at for them
    std::unique_ptr<parsed_headers const> headers{}; ///< null: they are parsed for each variant
    bool is_kept = false;                            ///< the headers are those that were given
    std::string log{};

    template <class Self, class Visit>
    static void members(Self& self, Visit& visit)
    {
        visit(self.frontend, self.by_driver, self.headers, self.is_kept, self.log);
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

/// Parsed headers as bytes that outlive the process.
[[nodiscard]] inline std::string headers_to_keep(prepared_kernel const& kernel)
{
    byte_writer out;
    out(kernel.arguments_key(), kernel.headers);
    return out.take();
}

/// @param kept  of headers_to_keep()
/// @return  null when they hold for other arguments, or `kept` has another form
[[nodiscard]] inline std::unique_ptr<parsed_headers const>
headers_in(std::string_view kept, std::string const& arguments_key)
{
    if (kept.empty()) return nullptr;
    try {
        byte_reader in(kept);
        std::string key;
        std::unique_ptr<parsed_headers const> headers;
        in(key);
        if (key == arguments_key) in(headers);
        return headers;
    } catch (std::runtime_error const&) {
        return nullptr;
    }
}

/// @param kept  of headers_to_keep(), in an earlier process. Used if the arguments are the same and no
///              file has changed
[[nodiscard]] inline prepared_kernel
prepare(std::string const& executable, attune_clang_request const& request, std::string_view kept)
{
    prepared_kernel kernel;
    llvm::raw_string_ostream log(kernel.log);
    kernel.frontend = frontend_arguments(executable, request, kernel.by_driver, log);
    if (kernel.frontend.empty() || request.precompile == 0) return kernel;
    kernel.headers = headers_in(kept, kernel.arguments_key());
    kernel.is_kept = kernel.headers && kernel.headers->usable();
    if (kernel.is_kept) return kernel;
    std::string ignored; // the compilation of the variant reports errors in headers
    llvm::raw_string_ostream quiet(ignored);
    captured_diagnostics diagnostics(quiet);
    auto const invocation =
        make_invocation(kernel.frontend, request, false, executable, *diagnostics.engine);
    if (!invocation) return kernel;
    touched_files touched;
    kernel.headers = parsed_headers::parse(
        *invocation, request, *diagnostics.engine,
        kernel_file_system(request, {request.text, request.text_size}, touched), touched);
    return kernel;
}

[[nodiscard]] inline clang_object compile_variant(std::string const& executable,
                                                  attune_clang_request const& request,
                                                  prepared_kernel const& kernel)
{
    clang_object made =
        compile_to_object(executable, kernel.frontend, kernel.headers.get(), request);
    if (made.precompiled) made.touched.add(kernel.headers->touched());
    return made;
}

} // namespace attune::inline ATTUNE_ABI::detail
