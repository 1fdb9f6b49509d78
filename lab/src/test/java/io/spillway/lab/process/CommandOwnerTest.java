// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CommandOwnerTest {
    private final CommandOwner self = CommandOwner.ofThisProcess();

    @Test
    void aLivingProcessIsNotGone() {
        assertThat(self.hasEnded()).isFalse();
        assertThat(CommandOwner.ofThisProcess()).isEqualTo(self);
    }

    @Test
    void aProcessThatHasEndedIsGone() throws Exception {
        final Process brief = new ProcessBuilder("true").start();
        brief.waitFor();

        assertThat(new CommandOwner(brief.pid(), self.startTicks(), self.machine()).hasEnded())
                .isTrue();
    }

    @Test
    void anotherProcessWithTheSameIdIsNotTheOwner() {
        assertThat(new CommandOwner(self.pid(), self.startTicks() - 1, self.machine()).hasEnded())
                .isTrue();
    }

    @Test
    void whatAnotherMachineHasStartedIsNotJudged() {
        assertThat(new CommandOwner(self.pid(), self.startTicks() - 1, "another").hasEnded())
                .isFalse();
    }
}
