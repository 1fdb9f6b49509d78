/** Commands that measure engines side by side. */
package io.spillway.lab.compare.command;
