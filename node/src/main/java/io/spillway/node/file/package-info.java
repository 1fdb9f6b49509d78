/** Open files of map outputs, shared by what caches them, serves them and reads them ahead. */
package io.spillway.node.file;
