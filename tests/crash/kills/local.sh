# local - agents on this machine. Sourced by tests/crash/kills/lane.
# shellcheck shell=bash
way_kinds='agent agent agent agent supervisor supervisor supervisor coordinator coordinator task task task task'
way_kinds+=' pause pause pause pause stop'

way_up() { :; }
way_down() { :; }
way_begins() { on=(--on local:3); }
way_ready() { :; }
way_life() { marked "$@"; }
way_repair() { :; }
way_after() { :; }
way_keep() { :; }
