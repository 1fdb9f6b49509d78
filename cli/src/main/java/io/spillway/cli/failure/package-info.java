/** What ends a command with one clear line. */
package io.spillway.cli.failure;
