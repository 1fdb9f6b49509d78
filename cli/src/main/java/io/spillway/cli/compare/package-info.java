/** Commands that measure engines side by side. */
package io.spillway.cli.compare;
