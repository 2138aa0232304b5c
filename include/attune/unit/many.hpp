// attune/unit/many.hpp - the definitions of tune/over/ and study/: many machines.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::many.
// With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/remember/study/study_board.ipp>
#include <attune/remember/study/study_file.ipp>
#include <attune/remember/study/study_line.ipp>
#include <attune/tune/over/mpi/rank_messages.ipp>
#include <attune/tune/over/own_slot.ipp>
#include <attune/tune/over/process_identity.ipp>
#include <attune/tune/over/slot_trials.ipp>
#include <attune/tune/over/trial_worker.ipp>
#include <attune/tune/over/tuning_elsewhere.ipp>
#include <attune/tune/over/variant_text.ipp>
#include <attune/tune/study/study_search.ipp>
