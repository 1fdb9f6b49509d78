// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class DependenciesTest {
    /** Handlers, the command and the process meet in the control protocol alone. */
    @Test
    void theControlProtocolKnowsNeitherEnd() {
        final JavaClasses tested = new ClassFileImporter().importPath(Path.of("target", "classes"));
        noClasses()
                .that()
                .resideInAPackage("io.spillway.node.control..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.spillway.node.process..", "io.spillway.node.launch..")
                .check(tested);
    }
}
