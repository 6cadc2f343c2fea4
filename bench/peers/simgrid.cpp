/* simgrid.cpp - the workload of bench/bare.c in SimGrid (https://simgrid.org, 3.32).
 *
 *     simgrid TASKS HOSTS sleep|execute        prints the seconds it took, without set-up
 *
 * One actor per host takes the next task whenever it is free. `execute` gives the task to the
 * host's processor, as a SimGrid user would; `sleep` only lets the time pass, which is almost three
 * times as fast and means the same as long as a host runs one task at a time.
 *
 * Slower, and therefore not here: executions without actors, whose completion starts the next one
 * (it walks a list of all running ones); one master that waits for any of a thousand executions;
 * contexts/factory:ucontext and cpu/optim:Full. No difference beyond the noise: cpu/optim:TI,
 * contexts/factory:boost, host/model:compound. Small stacks without guard pages seemed to help
 * sleepers and cost nobody anything, so they are set. */
#include <simgrid/s4u.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace sg = simgrid::s4u;

static uint32_t task_count, task_next;

static double task_size_s(uint32_t task)
{
    return 10.0 + static_cast<double>(static_cast<uint64_t>(task) * 7919 % 99991) * 900e-6;
}

static void work(bool execute)
{
    while (task_next < task_count) {
        double size_s = task_size_s(task_next++);
        if (execute)
            sg::this_actor::execute(size_s); /* hosts compute one flop per second */
        else
            sg::this_actor::sleep_for(size_s);
    }
}

int main(int argc, char **argv)
{
    sg::Engine engine(&argc, argv);
    sg::Engine::set_config("contexts/stack-size:16");
    sg::Engine::set_config("contexts/guard-size:0");
    task_count = argc > 1 ? static_cast<uint32_t>(std::strtoul(argv[1], nullptr, 10)) : 100000;
    unsigned long hosts = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1000;
    bool execute = argc > 3 && std::string(argv[3]) == "execute";

    sg::NetZone *zone = sg::create_empty_zone("cluster");
    for (unsigned long i = 0; i < hosts; i++) {
        sg::Host *host = zone->create_host("h" + std::to_string(i), 1.0);
        host->seal();
        sg::Actor::create("worker", host, work, execute);
    }
    zone->seal();

    auto begun = std::chrono::steady_clock::now();
    engine.run();
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    std::printf("%.6f makespan %.3f\n", took.count(), sg::Engine::get_clock());
    return 0;
}
