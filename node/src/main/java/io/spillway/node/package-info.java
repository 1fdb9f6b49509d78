/** What a host serves: finds map outputs, and caches their open files and indices. */
package io.spillway.node;
