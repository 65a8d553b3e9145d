extension Catalog {
    /// The first version that holds where thumbnails lie.
    static let versionWithThumbnails = 4

    /// Named steps; a database's `user_version` counts those it has had.
    static let migrations: [(name: String, sql: String)] = [
        (
            "assets, resources, totals, quarantine",
            """
            CREATE TABLE asset (
                number INTEGER PRIMARY KEY,
                identifier BLOB NOT NULL UNIQUE,
                status INTEGER NOT NULL,
                settled INTEGER NOT NULL,
                captured INTEGER NOT NULL,
                zone INTEGER NOT NULL,
                trusted INTEGER NOT NULL,
                width INTEGER NOT NULL,
                height INTEGER NOT NULL,
                bytes INTEGER NOT NULL,
                favorite INTEGER NOT NULL,
                burst BLOB,
                lag INTEGER,
                durable INTEGER,
                trashed INTEGER
            );
            CREATE INDEX asset_by_status ON asset (status, number);
            CREATE INDEX asset_by_captured ON asset (captured) WHERE status = 0;
            CREATE INDEX asset_favorite ON asset (number) WHERE status = 0 AND favorite = 1;
            CREATE INDEX asset_burst ON asset (number) WHERE status = 0 AND burst IS NOT NULL;
            CREATE INDEX asset_unsettled ON asset (number) WHERE settled = 0;
            CREATE TABLE resource (
                number INTEGER NOT NULL,
                position INTEGER NOT NULL,
                type INTEGER NOT NULL,
                extension TEXT NOT NULL,
                original_name TEXT,
                type_identifier TEXT,
                bytes INTEGER NOT NULL,
                checksum INTEGER NOT NULL,
                PRIMARY KEY (number, position)
            ) WITHOUT ROWID;
            CREATE TABLE total (
                status INTEGER PRIMARY KEY,
                assets INTEGER NOT NULL,
                bytes INTEGER NOT NULL
            );
            INSERT INTO total VALUES (0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0);
            CREATE TRIGGER asset_added AFTER INSERT ON asset BEGIN
                UPDATE total SET assets = assets + 1, bytes = bytes + new.bytes WHERE status = new.status;
            END;
            CREATE TRIGGER asset_removed AFTER DELETE ON asset BEGIN
                UPDATE total SET assets = assets - 1, bytes = bytes - old.bytes WHERE status = old.status;
                DELETE FROM resource WHERE number = old.number;
            END;
            CREATE TRIGGER asset_moved AFTER UPDATE OF status ON asset WHEN old.status <> new.status BEGIN
                UPDATE total SET assets = assets - 1, bytes = bytes - old.bytes WHERE status = old.status;
                UPDATE total SET assets = assets + 1, bytes = bytes + new.bytes WHERE status = new.status;
            END;
            CREATE TABLE quarantine (name TEXT PRIMARY KEY, reason TEXT NOT NULL);
            CREATE TABLE fact (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
            INSERT INTO fact VALUES ('highest_number', 0), ('checkpoints', 0);
            """
        ),
        (
            "orientation, kinds, series, selections, albums, history",
            """
            ALTER TABLE asset ADD COLUMN orientation INTEGER NOT NULL DEFAULT 1;
            ALTER TABLE asset ADD COLUMN media INTEGER NOT NULL DEFAULT 1;
            ALTER TABLE asset ADD COLUMN raw INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE asset ADD COLUMN timelapse BLOB;
            ALTER TABLE asset ADD COLUMN modified INTEGER;
            ALTER TABLE asset ADD COLUMN counted INTEGER;
            UPDATE asset SET raw = 1 WHERE EXISTS
                (SELECT 1 FROM resource WHERE resource.number = asset.number AND resource.extension = 'DNG');
            -- The status comes first, although it is always the same: without an equation the planner passes them over.
            DROP INDEX asset_favorite;
            DROP INDEX asset_burst;
            CREATE INDEX asset_favorite ON asset (status, number) WHERE status = 0 AND favorite = 1;
            CREATE INDEX asset_burst ON asset (status, number) WHERE status = 0 AND burst IS NOT NULL;
            CREATE INDEX asset_of_burst ON asset (burst, number) WHERE status = 0 AND burst IS NOT NULL;
            CREATE INDEX asset_raw ON asset (status, number) WHERE status = 0 AND raw = 1;
            CREATE INDEX asset_timelapse ON asset (status, number) WHERE status = 0 AND timelapse IS NOT NULL;
            CREATE TABLE selection (
                selection BLOB NOT NULL,
                number INTEGER NOT NULL,
                position INTEGER NOT NULL,
                PRIMARY KEY (selection, number)
            ) WITHOUT ROWID;
            CREATE UNIQUE INDEX selection_by_position ON selection (selection, position);
            CREATE INDEX selection_by_asset ON selection (number);
            CREATE TABLE selection_mark (selection BLOB PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID;
            CREATE TABLE album (
                identifier BLOB PRIMARY KEY,
                title TEXT NOT NULL,
                created INTEGER NOT NULL
            ) WITHOUT ROWID;
            CREATE TABLE album_member (
                album BLOB NOT NULL,
                position INTEGER NOT NULL,
                number INTEGER NOT NULL,
                PRIMARY KEY (album, position)
            ) WITHOUT ROWID;
            CREATE UNIQUE INDEX album_member_by_asset ON album_member (number, album);
            CREATE TABLE history (
                row INTEGER PRIMARY KEY AUTOINCREMENT,
                block INTEGER NOT NULL,
                kind INTEGER NOT NULL,
                identifier BLOB NOT NULL,
                selection BLOB
            );
            CREATE TRIGGER asset_forgotten AFTER DELETE ON asset BEGIN
                DELETE FROM selection WHERE number = old.number;
                DELETE FROM album_member WHERE number = old.number;
            END;
            CREATE TRIGGER album_removed AFTER DELETE ON album BEGIN
                DELETE FROM album_member WHERE album = old.identifier;
            END;
            INSERT INTO fact VALUES ('library_high', random()), ('library_low', random());
            -- How a large library is distributed, for the query planner: without it, it takes the index of the status
            -- for selective and sorts a million assets. Fixed, so that every library is asked in the same way. The
            -- status is said to be a little more selective than it is, since the rare ones are looked up by it.
            ANALYZE sqlite_schema;
            INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
                ('asset', 'asset_by_status', '1000000 300000 1'), ('asset', 'asset_by_captured', '900000 1'),
                ('asset', 'asset_favorite', '10000 10000 1'), ('asset', 'asset_burst', '100000 100000 1'),
                ('asset', 'asset_of_burst', '100000 20 1'), ('asset', 'asset_raw', '100000 100000 1'),
                ('asset', 'asset_timelapse', '100000 100000 1'), ('asset', 'asset_unsettled', '10 1'),
                ('asset', 'sqlite_autoindex_asset_1', '1000000 1');
            ANALYZE sqlite_schema;
            """
        ),
        (
            "photos by date, as SQLite 3.46 wants it",
            """
            -- It sorts rather than read a whole index whose first column no equation names.
            DROP INDEX asset_by_captured;
            CREATE INDEX asset_by_captured ON asset (status, captured) WHERE status = 0;
            INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('asset', 'asset_by_captured', '900000 900000 1');
            ANALYZE sqlite_schema;
            """
        ),
        (
            "where thumbnails lie",
            """
            -- NULL where nobody has looked; all 0 where the file has none.
            ALTER TABLE resource ADD COLUMN thumbnail_offset INTEGER;
            ALTER TABLE resource ADD COLUMN thumbnail_bytes INTEGER;
            ALTER TABLE resource ADD COLUMN thumbnail_width INTEGER;
            ALTER TABLE resource ADD COLUMN thumbnail_height INTEGER;
            """
        ),
    ]
}
