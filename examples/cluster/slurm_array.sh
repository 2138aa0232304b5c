#!/bin/sh
# slurm_array.sh - twenty processes of a study: `sbatch slurm_array.sh` in the folder of shared_study. Jobs of the array
# start when there is room, and may be cancelled or preempted; submitted again, they go on. `scancel --batch --signal=INT
# JOB` lets a job end its evaluation and tell the outcome; a job that is killed loses it, and after lease_s another
# process evaluates that configuration. `attune status FOLDER/application.study` shows them.
# SPDX-License-Identifier: MIT
#SBATCH --job-name=shared_study
#SBATCH --array=1-20
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --time=01:00:00
#SBATCH --signal=B:INT@120
#SBATCH --requeue
set -eu
# A folder that all nodes see, and nobody else may write to.
folder="${STUDY_FOLDER:-$HOME/studies}"
mkdir -p -m 700 "$folder"
exec ./shared_study "$folder" "$@" # `exec`, so that signals of Slurm reach the program
